import { bookTexts } from '../en/book.ts';
import { settingsTexts } from '../en/settings.ts';
import { signInTexts } from '../en/sign-in.ts';
import { counted, plural } from '../plural.ts';
import { replaceTexts } from '../translated.ts';

replaceTexts(settingsTexts, {
  title: 'Einstellungen',
  sections: {
    formats: 'Darstellung',
    book: 'Buch',
    banks: 'Banken',
    'signing-in': 'Anmeldung',
    tokens: 'Zugriffstoken',
    webhooks: 'Webhooks',
    download: 'Herunterladen',
  },
  noSection: 'Diesen Abschnitt gibt es nicht',
  noSectionHint: 'Die Links oben führen zu allen.',
  formats: {
    hint: 'Das gilt für diesen Browser, in allen Tabs.',
    language: 'Sprache',
    languages: { '': 'Wie der Browser', en: 'English', de: 'Deutsch' },
    locale: 'Zahlen und Daten',
    browserLocale: (name) => `Wie der Browser: ${name}`,
    dates: 'Daten',
    dateKinds: { locale: 'Wie in der Sprache', iso: 'Jahr zuerst' },
    example: 'So sieht es aus',
    theme: 'Farben',
    themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    letterKeys: 'Buchstaben wirken als Tasten',
    letterKeysHint: 'Wie e zum Durchsehen und u zum Rückgängigmachen. In Feldern nie.',
    privacy: 'Beträge verbergen',
    privacyHint:
      'Jeder Betrag erscheint als Punkte, auch in Diagrammen. Für Bildschirme, auf die andere sehen.',
  },
  book: {
    delete: 'Buch löschen',
    deleteHint: 'Mit allem darin. Mit deinem einzigen Buch auch deine Anmeldung.',
    deleteText:
      'Alle Datensätze, Dateien, Webhooks, Verbindungen und Zugriffstoken werden gelöscht, für alle. Das lässt sich ' +
      'nicht rückgängig machen: Lade das Buch vorher herunter. Sicherungen des Servers behalten es.',
    deleteName: (name) => `Tippe „${name}“`,
    whole: 'Das ganze Buch herunterladen',
    wholeHint:
      'Alle Datensätze und angehängten Dateien. „coffer book import“ macht daraus ein Buch, auf diesem Server oder einem anderen.',
  },
  banks: {
    hint: 'Eine Brücke, die SimpleFIN spricht, liest deine Banken alle sechs Stunden. Sie kann kein Geld bewegen.',
    lacks: {
      off: 'Dieser Server richtet hier keine Verbindungen ein. Wer ihn betreibt, kann BANK_SETUP=on setzen.',
      no_key:
        'Dieser Server kann den Zugang zu einer Bank nicht aufbewahren: Wer ihn betreibt, muss ENCRYPTION_KEY setzen.',
    },
    none: 'Keine Bank ist verbunden. Jedes Konto bei der Bank wird ein Konto des Buchs.',
    add: 'Bank verbinden',
    intro:
      'Melde dich bei deiner Brücke an, etwa bridge.simplefin.org, wähle dort deine Banken, und kopiere das ' +
      'Setup-Token. Es gilt einmal.',
    token: 'Setup-Token',
    nameLabel: 'Name',
    name: 'Meine Banken',
    connect: 'Verbinden',
    unread: 'Noch nicht gelesen',
    last: (time) => `Gelesen ${time}`,
    into: 'in',
    relink: 'Zugang verweigert: Entfernen und neu verbinden',
    readNow: 'Jetzt lesen',
    read: (count) =>
      count === 0
        ? 'Nichts Neues bei der Bank'
        : plural(count, { one: '# neue Buchung', other: '# neue Buchungen' }),
    remove: 'Entfernen',
    removeLabel: (name) => `${name} entfernen`,
    removeText:
      'Der Zugang wird gelöscht. Konten und Buchungen bleiben, und eine andere Verbindung zu denselben Banken ' +
      'führt sie fort.',
    removed: 'Die Verbindung ist entfernt',
  },
  sessions: {
    title: 'Angemeldete Browser',
    hint: 'Eine Sitzung endet nach 30 Tagen ohne Benutzung.',
    here: 'Dieser Browser',
    methods: { link: 'mit einem Link', password: 'mit Passwort', passkey: 'mit Passkey' },
    line: (method, since) => `Angemeldet ${method} am ${since}`,
    seen: (time) => `Zuletzt benutzt ${time}`,
    end: 'Beenden',
    endLabel: (browser) => `Sitzung von ${browser} beenden`,
    endOthers: 'Alle anderen beenden',
    ended: 'Die Sitzung ist beendet',
    othersEnded: 'Alle anderen Sitzungen sind beendet',
    unknown: 'Unbekannter Browser',
  },
  passkeys: {
    title: 'Passkeys',
    hint:
      'Melde dich mit Finger, Gesicht oder PIN an. Ein Passkey lässt sich nicht erraten, und ' +
      'nichts Geheimes verlässt das Gerät.',
    none: 'Es gibt noch keinen Passkey.',
    add: 'Passkey hinzufügen',
    name: 'Name',
    nameHint: 'Wie der des Geräts. Er lässt sich später nicht ändern.',
    begin: 'Weiter',
    signInAgain:
      'Melde dich noch einmal an, um einen Passkey hinzuzufügen: Deine Anmeldung ist älter als 15 Minuten.',
    cancelled: 'Kein Passkey wurde angelegt: Der Browser hat abgebrochen',
    made: 'Der Passkey ist hinzugefügt',
    removed: 'Der Passkey ist entfernt',
    remove: 'Entfernen',
    removeLabel: (name) => `Passkey ${name} entfernen`,
    removeText: (name) =>
      `„${name}“ meldet nicht mehr an. Sitzungen, die er begonnen hat, gehen weiter, bis sie ` +
      `beendet werden. Das Gerät zeigt ihn vielleicht noch: Lösche ihn auch dort.`,
    line: (added) => `Hinzugefügt ${added}`,
    used: (time) => `zuletzt benutzt ${time}`,
    unused: 'nie benutzt',
    forHost: (host) => `für ${host}`,
    notHere: (host) =>
      `Browser erlauben Passkeys auf einem Hostnamen mit https oder auf localhost, aber nicht auf ` +
      `${host}. Öffne Coffer unter einer solchen Adresse, um einen hinzuzufügen.`,
  },
  password: {
    title: 'Passwort',
    has: 'Ein Passwort ist gesetzt.',
    none: 'Kein Passwort ist gesetzt: Du meldest dich mit Links und Passkeys an.',
    set: 'Passwort setzen',
    change: 'Passwort ändern',
    current: 'Bisheriges Passwort',
    currentHint: 'In den ersten 15 Minuten nach einer Anmeldung mit Link nicht nötig.',
    next: 'Neues Passwort',
    nextHint: 'Mindestens 8 Zeichen. Ein paar zufällige Wörter sind lang und leicht zu tippen.',
    removePasskeys: (count) =>
      count === 1 ? 'Auch den Passkey entfernen' : `Auch alle ${count} Passkeys entfernen`,
    removePasskeysHint:
      'Falls sich jemand anders angemeldet haben könnte: Ein Passkey von ihm würde weiter gelten.',
    effect: 'Alle anderen Sitzungen enden.',
    done: 'Das Passwort ist gesetzt. Alle anderen Sitzungen sind beendet.',
  },
  tokens: {
    hint: 'Programme lesen und schreiben dieses Buch über die API mit einem Zugriffstoken.',
    none: 'Kein Programm hat Zugriff',
    noneHint:
      'Erzeuge ein Token für ein Skript, eine App oder einen Import, und widerrufe es, wenn es nicht mehr gebraucht wird.',
    add: 'Token erzeugen',
    label: 'Wofür es ist',
    expiry: 'Läuft ab',
    expiries: { never: 'Nie', '30': 'In 30 Tagen', '90': 'In 90 Tagen', '365': 'In einem Jahr' },
    make: 'Erzeugen',
    made: 'Kopiere das Token jetzt',
    madeHint:
      'Es wird nicht noch einmal gezeigt. Ein Programm, das es hat, kann dieses Buch lesen und ändern.',
    token: 'Zugriffstoken',
    done: 'Fertig',
    unnamed: 'Ohne Bezeichnung',
    created: (date) => `Erzeugt ${date}`,
    used: (time) => `zuletzt benutzt ${time}`,
    unused: 'nie benutzt',
    expires: (date) => `läuft ab ${date}`,
    expired: 'Abgelaufen',
    revoke: 'Widerrufen',
    revokeLabel: (label) => `${label} widerrufen`,
    revokeTitle: 'Token widerrufen?',
    revokeText: (label) =>
      `Programme mit „${label}“ werden ab jetzt abgewiesen. Das lässt sich nicht rückgängig machen.`,
    revoked: 'Das Token ist widerrufen',
  },
  webhooks: {
    hint: 'Coffer sendet jede Änderung des Buchs an diese Adressen, signiert und der Reihe nach.',
    none: 'Nichts wird gesendet',
    noneHint: 'Füge die Adresse eines Programms hinzu, das jede Änderung erfahren soll.',
    add: 'Webhook hinzufügen',
    edit: 'Bearbeiten',
    url: 'Adresse',
    urlHint: 'Eine https-URL außerhalb privater Netze.',
    description: 'Notiz',
    records: 'Welche Änderungen',
    allRecords: 'Alle Änderungen',
    someRecords: 'Nur von diesen Datensätzen',
    recordNames: {
      transactions: 'Buchungen',
      categories: 'Kategorien',
      tags: 'Tags',
      manual_accounts: 'Eigene Konten',
      plaid_accounts: 'Verbundene Konten',
      recurring_items: 'Wiederkehrendes',
      budgets: 'Budgets',
      rules: 'Regeln',
    },
    oneRecord: 'Wähle mindestens eines',
    made: 'Kopiere das Geheimnis jetzt',
    madeHint:
      'Der Empfänger prüft damit die Signatur jeder Nachricht. Es wird nicht noch einmal gezeigt.',
    secret: 'Geheimnis',
    done: 'Fertig',
    statuses: { enabled: 'An', failing: 'Fehlerhaft', disabled: 'Aus' },
    failing: (count, next) => `${count} fehlgeschlagene Versuche; der nächste ist ${next}`,
    delivered: (time) => `Zuletzt zugestellt ${time}`,
    neverDelivered: 'Noch nichts zugestellt',
    enable: 'Einschalten',
    disable: 'Ausschalten',
    enabled: 'Der Webhook ist an: Er macht weiter, wo er aufgehört hat',
    disabled: 'Der Webhook ist aus',
    test: 'Test senden',
    testGood: (status) => `Der Test wurde zugestellt: ${status}`,
    testBad: (reason) => `Der Test wurde nicht zugestellt: ${reason}`,
    rotate: 'Geheimnis ersetzen',
    rotateText:
      'Nachrichten haben 24 Stunden lang die Signaturen beider Geheimnisse, damit der Empfänger ' +
      'inzwischen geändert werden kann.',
    remove: 'Löschen',
    removeTitle: 'Webhook löschen?',
    removeText:
      'Sein Protokoll wird auch gelöscht, und nicht zugestellte Änderungen werden nicht gesendet.',
    removed: 'Der Webhook ist gelöscht',
    more: (url) => `Aktionen für ${url}`,
    attempts: 'Versuche',
    attemptsHint: 'Die letzten 100 bleiben erhalten.',
    noAttempts: 'Noch nichts gesendet. Ändere etwas, oder sende einen Test.',
    when: 'Wann',
    outcome: 'Ergebnis',
    took: 'Dauer',
    changes: 'Änderungen',
    kinds: { event: 'Änderung', redelivery: 'Noch einmal gesendet', ping: 'Test' },
    kind: 'Art',
    good: 'Zugestellt',
    resend: 'Noch einmal senden',
    resendLabel: (number) => `Versuch ${number} noch einmal senden`,
  },
  download: {
    hint:
      'Alle Buchungen mit den Namen ihrer Kategorien, Tags und Konten. ' +
      'Nichts verlässt deinen Server außer dieser Datei.',
    csv: 'CSV herunterladen',
    csvHint: 'Für Tabellenprogramme. So kodiert, dass sie es direkt öffnen.',
    ndjson: 'NDJSON herunterladen',
    ndjsonHint: 'Ein Datensatz je Zeile, für Programme.',
    backup:
      'Eine vollständige Sicherung hat auch alles andere: Regeln, Budgets, Anhänge, Verlauf und ' +
      'Anmeldungen. Führe',
    backupEnd: 'auf dem Computer aus, auf dem Coffer läuft.',
    command: 'coffer backup',
  },
  backups: {
    title: 'Was der Server macht',
    nowhere: 'nirgends',
    rates: (host) => `Wechselkurse liest er von: ${host}.`,
    prices: (host) => `Krypto-Preise liest er von: ${host}.`,
    none: 'Der Server macht keine Sicherungen. Starte ihn mit --backup-to und einem Ordner, und er macht jeden Tag eine.',
    noneYet: 'Der Server hat noch keine Sicherung gemacht.',
    last: (time) => `Die letzte Sicherung ist vom ${time}`,
    failed: (time) =>
      `Die vom ${time} ist fehlgeschlagen, oder ihr fehlen angehängte Dateien. Das Protokoll des Servers sagt, warum.`,
  },
});

replaceTexts(bookTexts, {
  edit: 'Name und Währung',
  editName: 'Umbenennen',
  name: 'Name',
  currency: 'Währung',
  currencyHint:
    'Summen, Berichte und Budgets sind in dieser Währung. Du kannst sie hier ändern, bis es ein Konto, eine ' +
    'Buchung oder ein Budget gibt, und später in den Einstellungen.',
  saved: (name, currency) => `Das Buch heißt jetzt ${name}, in ${currency}`,
  change: {
    title: 'Währung ändern',
    hint: 'Alle Summen, Berichte und Budgets sind in dieser Währung.',
    intro:
      'Jeder Betrag bleibt, wie er ist, in seiner eigenen Währung. Was er in der neuen Währung wert ist, wird neu ' +
      'berechnet, zum Kurs seines Tages.',
    budgets: 'Budgets',
    choices: { convert: 'Umrechnen', keep: 'Zahlen behalten' },
    revalued: counted({
      one: '# Wert wird neu berechnet.',
      other: '# Werte werden neu berechnet.',
    }),
    kept: (count, currency) =>
      plural(count, {
        one: `# Budget behält seine Zahl, und ist dann in ${currency}.`,
        other: `# Budgets behalten ihre Zahlen, und sind dann in ${currency}.`,
      }),
    converted: (count, currency) =>
      plural(count, {
        one: `# Budget wird in ${currency} umgerechnet, zum Kurs seines ersten Tages.`,
        other: `# Budgets werden in ${currency} umgerechnet, jedes zum Kurs seines ersten Tages.`,
      }),
    left: (count, currency) =>
      plural(count, {
        one: `# Budget bleibt in ${currency}, weil es keinen Kurs gibt.`,
        other: `# Budgets bleiben in ${currency}, weil es keinen Kurs gibt.`,
      }),
    missing: (currency, count, days) =>
      plural(count, {
        one: `Kein Kurs für # Betrag in ${currency} (${days}): Er zählt als 0, bis der Betreiber des Servers Kurse importiert.`,
        other: `Kein Kurs für # Beträge in ${currency} (${days}): Sie zählen als 0, bis der Betreiber des Servers Kurse importiert.`,
      }),
    undoable: 'Es ist eine Änderung, die sich rückgängig machen lässt.',
    changed: 'Das Buch hat sich inzwischen geändert: Sieh dir die Zahlen noch einmal an.',
    done: (currency) => `Das Buch ist jetzt in ${currency}`,
  },
});

replaceTexts(signInTexts, {
  title: 'Anmelden',
  again: 'Melde dich an, um weiterzumachen',
  againHint:
    'Deine Sitzung ist beendet. Was du getippt hast, bleibt und wird gespeichert, sobald du angemeldet bist.',
  email: 'E-Mail',
  password: 'Passwort',
  submit: 'Anmelden',
  passkey: 'Passkey benutzen',
  byLink: 'Noch kein Passwort? Führe auf dem Computer, auf dem Coffer läuft,',
  byLinkEnd: 'aus, und öffne den Link, der erscheint.',
  command: 'coffer sign-in',
  start: 'Anmeldung',
  startHint: 'Einen Moment.',
  startFailed: 'Dieser Link gilt nicht',
  startFailedHint: 'Ein Link gilt einmal, für 15 Minuten. Erzeuge einen neuen:',
  noSecret: 'Der Link ist unvollständig: Öffne ihn, wie er erschien, mit allem hinter dem #',
  cancelled: 'Kein Passkey wurde benutzt',
});
