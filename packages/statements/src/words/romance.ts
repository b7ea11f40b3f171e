import type { Vocabulary } from './vocabulary.ts';

export const french: Vocabulary = {
  transactionDate:
    "date operation|date d'operation|date de l'operation|date de transaction|date transaction|date d'achat|date de vente|date op|dateop|date de l'opération",
  date: "date|jour|date et heure|date d'execution|date de fin|date de finalisation",
  bookingDate:
    'date comptable|date de comptabilisation|date compta|date de comptabilite|date comptabilisation|date ecriture',
  valueDate: 'date valeur|date de valeur|date val|dateval|valeur|date de debut|date de lancement',
  accountAmount: 'montant en devise du compte|montant comptabilise',
  amount:
    "montant|montant de l'operation|montant operation|montant en|montant (eur)|montant en euros|montant(euros)|montant(francs)|montant net|montant brut|somme|montant de la transaction|mouvements|variation",
  debit:
    'debit|depense|depenses|debits|montant debit|sortie|sorties|retrait|retraits|debit euros|paiement|debit en',
  credit:
    'credit|recette|recettes|credits|montant credit|entree|entrees|depot|depots|credit euros|versement|credit en',
  direction:
    "sens|type|debit/credit|type d'operation|type operation|sens de l'operation|credit/debit",
  payee:
    "nom du commerçant|tiers|contrepartie|beneficiaire|nom du beneficiaire|nom de la contrepartie|commercant|emetteur|marchand|nom contrepartie|supplierfound|nom|debiteur/creancier|nom du tiers|donneur d'ordre|enseigne",
  description:
    "libelle|libelle operation|libelle simplifie|libelle de l'operation|description|intitule|nature de l'operation|detail|designation|operation|libelle court|description 1|libelle complet|objet|nature|produit",
  notes:
    "communication|motif|commentaire|note|notes|remarque|communications|memo|informations complementaires|reference|communication libre|details|detail de l'ecriture",
  category: 'categorie|categorie operation|categoryparent|sous categorie|rubrique',
  tags: 'etiquettes|mots-cles|pointage',
  ownAccount: 'mon compte|compte propre|accountlabel|accountnum|carte|numero de carte|n° de carte',
  payer:
    "donneur d'ordre|nom du donneur d'ordre|emetteur|nom de l'emetteur|expediteur|payeur|nom du payeur|debiteur|ordonnateur|nom du debiteur",
  recipient: 'beneficiaire|nom du beneficiaire|destinataire|nom du destinataire|crediteur',
  holder: 'nom|titulaire|nom du titulaire|titulaire du compte',
  account:
    'compte|numero de compte|n° de compte|nom du compte|accountlabel|accountnum|iban|libelle compte|compte source|num compte|compte donneur',
  accountCurrency: 'devise du compte',
  currency: "devise|monnaie|monn.|devise de l'operation|code devise",
  balance:
    'solde|solde apres operation|accountbalance|solde comptable|nouveau solde|solde en|solde progressif',
  status: 'statut|etat',
  fee: 'frais|commission|commissions',
  moneyOut: 'debit|depense|sortie|retrait|emis|depenses|decaissement|debits|paiement',
  moneyIn: 'credit|recette|entree|versement|depot|recu|revenu|revenus|encaissement|credits',
  cardPayment:
    'votre paiement|paiement recu|paiement - merci|paiement merci|merci de votre paiement',
  pending:
    "en attente|en cours|autorisee|autorise|a venir|en cours de traitement|non comptabilise|reservee|en traitement|en cours d'execution",
  reverted: 'contre-passe|contrepassee|restituee|restitue|extourne|rembourse integralement',
  declined: 'refuse|refusee|rejete|rejetee|decline|declinee',
  failed: 'echoue|echouee|echec|non aboutie|en erreur|expire|expiree|non execute',
  cancelled: 'annule|annulee|supprime|supprimee|revoque',
  balanceLine:
    "solde precedent|ancien solde|nouveau solde|solde initial|solde final|solde d'ouverture|solde de cloture|report|report a nouveau|solde reporte|solde au|solde crediteur au|solde debiteur au|solde anterieur|solde en debut de periode|solde en fin de periode",
  totalLine:
    'total|totaux|sous-total|total des operations|solde|total des mouvements|total general|total debit|total credit',
  months:
    'janvier/janv/jan|fevrier/fevr/fev|mars/mar|avril/avr|mai|juin|juillet/juil|aout/aou|septembre/sept/sep|octobre/oct|novembre/nov|decembre/dec',
};

export const spanish: Vocabulary = {
  transactionDate:
    'fecha operacion|fecha de operacion|fecha de la operacion|fecha de transaccion|fecha transaccion|f. operacion|fecha de compra|fecha oper|fecha operación',
  date: 'fecha|dia|fecha y hora|fecha hora|fecha movimiento|fecha de movimiento|fecha de finalizacion|fecha de finalización',
  bookingDate:
    'fecha contable|fecha de registro|fecha de asiento|fecha ctble|f. contable|fecha proceso|fecha de proceso|fecha de contabilizacion',
  valueDate: 'fecha valor|fecha de valor|f. valor|f.valor|valor fecha|fecha val|fecha de inicio',
  amount:
    'importe|monto|importe eur|cantidad|valor|importe operacion|importe en|importe total|importe movimiento|monto transaccion|importe (€)|importe divisa|importe en eur|variacion',
  debit:
    'cargo|cargos|adeudo|debe|debito|debitos|gasto|gastos|retiro|retiros|salida|salidas|egreso|egresos|monto debito|retirada|importe debe|debito ($)',
  credit:
    'abono|abonos|ingreso|ingresos|haber|credito|creditos|deposito|depositos|entrada|entradas|monto credito|importe haber',
  direction:
    'tipo|cargo/abono|debe/haber|tipo de movimiento|tipo movimiento|signo|tipo de operacion',
  payee:
    'beneficiario|comercio|ordenante|contraparte|establecimiento|destinatario|nombre|nombre beneficiario|ordenante/beneficiario|beneficiario/ordenante|nombre del comercio|tercero|remitente/destinatario',
  description:
    'concepto|descripcion|movimiento|detalle|movimientos|descripcion operacion|operacion|texto|transaccion|descripcion del movimiento|concepto comun|detalles|glosa|mas datos',
  notes:
    'observaciones|notas|nota|comentario|comentarios|mensaje|referencia|referencia 1|informacion adicional|concepto propio|anotaciones',
  category: 'categoria|subcategoria',
  tags: 'etiquetas',
  ownAccount: 'cuenta propia|mi cuenta|tarjeta|numero de tarjeta',
  payer: 'ordenante|nombre ordenante|nombre del ordenante|remitente|emisor|pagador|deudor',
  recipient: 'beneficiario|nombre beneficiario|nombre del beneficiario|destinatario|receptor',
  holder: 'nombre|titular|nombre del titular|titular de la cuenta',
  account:
    'cuenta|numero de cuenta|numero cuenta|nombre de la cuenta|cuenta origen|tarjeta|n cuenta|num. cuenta|cta',
  currency: 'moneda|divisa|moneda cuenta|div',
  balance:
    'saldo|saldo disponible|saldo posterior|saldo contable|saldo final|disponible|saldo tras operacion|saldo (€)',
  status: 'estado|situacion',
  fee: 'comision|comisiones|cargo por servicio',
  moneyOut: 'cargo|adeudo|debe|debito|gasto|salida|egreso|retiro|enviado|gastos|egresos',
  moneyIn: 'abono|ingreso|haber|credito|entrada|deposito|recibido|ingresos',
  cardPayment: 'su pago|pago recibido|gracias por su pago|pago gracias',
  pending:
    'pendiente|autorizado|autorizada|en proceso|retenido|en curso|en tramite|no contabilizado|por confirmar|retencion',
  reverted: 'revertido|revertida|devuelto|devuelta|reversado|retrocedido|retrocedida|extornado',
  declined: 'rechazado|rechazada|denegado|denegada|declinado|declinada',
  failed: 'fallido|fallida|error|erronea|no realizada|caducado|caducada|expirado|incompleta',
  cancelled: 'cancelado|cancelada|anulado|anulada|eliminado|eliminada',
  balanceLine:
    'saldo anterior|saldo inicial|saldo final|saldo actual|saldo de apertura|saldo de cierre|saldo al inicio|saldo al cierre|saldo previo|saldo nuevo|saldo a la fecha',
  totalLine:
    'total|totales|subtotal|suma|saldo|total cargos|total abonos|total movimientos|total general',
  months:
    'enero/ene|febrero/feb|marzo/mar|abril/abr|mayo/may|junio/jun|julio/jul|agosto/ago|septiembre/sep/sept/setiembre/set|octubre/oct|noviembre/nov|diciembre/dic',
};

export const portuguese: Vocabulary = {
  transactionDate:
    'data operacao|data da operacao|data de operacao|data transacao|data da transacao|data da compra|data de compra|data mov.|data mov|data do movimento|data movimento',
  date: 'data|dia|data e hora|data lancamento|data do lancamento|data lanc.|data de lancamento|data de conclusao|data de finalizacao',
  bookingDate:
    'data contabilistica|data contabil|data de processamento|data do processamento|data de registo',
  valueDate: 'data valor|data-valor|data de valor|data val|data de inicio',
  amount:
    'valor|montante|valor (r$)|quantia|importancia|valor em|valor da transacao|montante em|valor (brl)|valor eur|valor total|valor lancamento',
  debit:
    'debito|debitos|saida|saidas|despesa|despesas|levantamento|saque|valor debito|debito (r$)|saidas (r$)',
  credit:
    'credito|creditos|entrada|entradas|receita|receitas|deposito|valor credito|credito (r$)|entradas (r$)',
  direction:
    'tipo|debito/credito|d/c|natureza|tipo lancamento|tipo de transacao|tipo transacao|credito/debito|sinal',
  payee:
    'beneficiario|estabelecimento|favorecido|destinatario|contraparte|comerciante|nome|remetente/destinatario|ordenante',
  description:
    'descricao|historico|lancamento|titulo|movimento|detalhes|transacao|descritivo|operacao|descricao do movimento|identificador descricao',
  notes:
    'observacoes|observacao|notas|nota|comentario|mensagem|documento|docto.|detalhe|informacao adicional',
  category: 'categoria|subcategoria',
  tags: 'etiquetas|marcadores',
  ownAccount: 'conta propria|minha conta|cartao|numero do cartao',
  payer: 'ordenante|remetente|pagador|emissor|nome do remetente|nome do pagador',
  recipient:
    'beneficiario|nome do beneficiario|favorecido|destinatario|recebedor|nome do destinatario',
  holder: 'nome|titular|nome do titular|titular da conta',
  account: 'conta|numero da conta|nome da conta|conta origem|n da conta|cartao',
  currency: 'moeda|divisa',
  balance:
    'saldo|saldo (r$)|saldo contabilistico|saldo apos|saldo disponivel|saldo apos movimento|saldo do dia|saldo final',
  status: 'estado|situacao|status',
  fee: 'taxa|comissao|tarifa|encargos|custo',
  moneyOut: 'debito|saida|despesa|saque|enviado|d|pagamento',
  moneyIn: 'credito|entrada|receita|deposito|recebido|c|recebimento',
  cardPayment: 'pagamento recebido|pagamento on line|obrigado pelo pagamento',
  pending:
    'pendente|autorizado|autorizada|em processamento|em andamento|agendado|a compensar|bloqueado|cativo|em analise',
  reverted: 'estornado|estornada|devolvido|devolvida|revertido|revertida|estorno',
  declined: 'recusado|recusada|rejeitado|rejeitada|negado|negada|nao autorizada',
  failed: 'falhou|falhado|falhada|falha|nao efetuada|erro|expirado|expirada|nao realizada',
  cancelled: 'cancelado|cancelada|anulado|anulada|excluido',
  balanceLine:
    'saldo anterior|saldo inicial|saldo final|saldo do dia|saldo total|saldo atual|saldo de abertura|saldo de fecho|saldo em conta|saldo total disponivel dia|saldo parcial|s a l d o|saldo aplic aut mais|saldo contabilistico|saldo disponivel|saldo bloqueado|saldo total disponível dia',
  totalLine: 'total|totais|subtotal|soma|saldo|total de debitos|total de creditos|total geral',
  months:
    'janeiro/jan|fevereiro/fev|março/mar|abril/abr|maio/mai|junho/jun|julho/jul|agosto/ago|setembro/set|outubro/out|novembro/nov|dezembro/dez',
};

export const italian: Vocabulary = {
  transactionDate:
    "data operazione|data dell'operazione|data transazione|data acquisto|data op.|data esecuzione|data di operazione",
  date: 'data|giorno|data e ora|data ora|data di completamento|data completamento',
  bookingDate:
    'data contabile|data registrazione|data di contabilizzazione|data contabilizzazione|data di registrazione|data movimento',
  valueDate: 'data valuta|valuta|data di valuta|data val.|data di inizio|data inizio',
  amount:
    'importo|ammontare|importo operazione|importo in|importo (eur)|importo in euro|importo transazione|somma|importo €|importo eur|importo netto',
  debit:
    'addebito|addebiti|uscita|uscite|dare|spese|prelievo|prelievi|pagamento|importo dare|uscite (eur)',
  credit:
    'accredito|accrediti|entrata|entrate|avere|ricavi|versamento|versamenti|importo avere|entrate (eur)',
  direction: 'segno|tipo|dare/avere|d/a|tipo operazione|tipo movimento|tipologia',
  payee:
    'controparte|beneficiario|esercente|ordinante|nome controparte|destinatario|nome|ordinante/beneficiario|beneficiario/ordinante|negozio|intestatario',
  description:
    'causale|descrizione|descrizione operazione|operazione|descrizione estesa|dettagli|descrizione completa|movimento|descrizione movimento|causale/descrizione',
  notes:
    'note|nota|note operazione|messaggio|commento|riferimento|memo|osservazioni|dettaglio|descrizione estesa',
  category: 'categoria|sottocategoria',
  tags: 'etichette',
  ownAccount: 'conto proprio|mio conto|carta|conto o carta|conto/carta|numero carta|rapporto',
  payer: 'ordinante|nome ordinante|mittente|pagatore|debitore|nome mittente',
  recipient: 'beneficiario|nome beneficiario|destinatario|creditore|nome destinatario',
  holder: 'nome|intestatario|titolare|intestatario conto',
  account:
    'conto|conto o carta|numero conto|rapporto|nome conto|conto corrente|carta|n. conto|conto/carta',
  currency: 'divisa|moneta|valuta importo',
  balance: 'saldo|saldo contabile|saldo disponibile|saldo progressivo|nuovo saldo|saldo finale',
  status: 'stato|stato operazione|contabilizzazione',
  fee: 'commissione|commissioni|spese e commissioni|costo|costi',
  moneyOut: 'dare|addebito|uscita|spesa|d|inviato|uscite',
  moneyIn: 'avere|accredito|entrata|a|ricevuto|entrate',
  pending:
    'in attesa|autorizzato|autorizzata|in corso|non contabilizzato|in elaborazione|prenotato|da contabilizzare|sospeso|in sospeso',
  reverted: 'stornato|stornata|restituito|riaccreditato',
  declined: 'rifiutato|rifiutata|respinto|respinta|negato|negata|declinato',
  failed:
    'fallito|fallita|non riuscito|non riuscita|non eseguito|scaduto|errore|non andato a buon fine',
  cancelled: 'annullato|annullata|cancellato|cancellata|revocato',
  balanceLine:
    'saldo iniziale|saldo finale|saldo precedente|saldo di apertura|saldo di chiusura|saldo contabile|riporto|saldo contabile iniziale|saldo contabile finale|saldo liquido finale|saldo al|saldo disponibile',
  totalLine: 'totale|totali|subtotale|saldo|totale entrate|totale uscite|totale movimenti',
  months:
    'gennaio/gen|febbraio/feb|marzo/mar|aprile/apr|maggio/mag|giugno/giu|luglio/lug|agosto/ago|settembre/set/sett|ottobre/ott|novembre/nov|dicembre/dic',
};

export const romanian: Vocabulary = {
  transactionDate:
    'data tranzactiei|data tranzactie|data operatiunii|data operatiune|data efectuarii',
  date: 'data|data finalizarii|data finalizării',
  bookingDate: 'data procesarii|data inregistrarii|data contabila|data decontarii|data finalizarii',
  valueDate: 'data valutei|data valuta|data inceperii|data începerii',
  amount: 'suma|valoare|suma tranzactiei|valoare tranzactie',
  debit: 'debit|suma debit|cheltuieli|plati|retrageri|iesiri',
  credit: 'credit|suma credit|venituri|incasari|depuneri|intrari',
  direction: 'tip|tip tranzactie|tipul tranzactiei|debit/credit',
  payee:
    'beneficiar|nume beneficiar|platitor/beneficiar|beneficiar/ordonator|ordonator|comerciant|contrapartida|nume/denumire ordonator/beneficiar',
  description:
    'descriere|detalii tranzactie|detalii|explicatii|explicatie|descrierea tranzactiei|denumire',
  notes: 'observatii|note|comentarii|mesaj|referinta',
  category: 'categorie|categoria',
  tags: 'etichete',
  ownAccount: 'cont client|cont propriu|contul meu|card|numar card',
  payer: 'ordonator|nume ordonator|platitor|nume platitor|expeditor',
  recipient: 'beneficiar|nume beneficiar|destinatar',
  holder: 'nume|titular|titular cont|nume titular',
  account: 'cont|numar cont|contul|nr. cont|cont client',
  currency: 'valuta|moneda',
  balance: 'sold|sold intermediar|sold contabil|sold final|sold dupa tranzactie',
  status: 'stare|status',
  fee: 'comision|comisioane|taxa',
  moneyOut: 'debit|plata|iesire|cheltuiala',
  moneyIn: 'credit|incasare|intrare|venit',
  pending: 'in asteptare|in curs de procesare|in curs|autorizat|autorizata|neprocesata',
  reverted: 'returnat|returnata|stornat|stornata',
  declined: 'respins|respinsa|refuzat|refuzata',
  failed: 'esuat|esuata|expirat|eroare',
  cancelled: 'anulat|anulata|sters',
  balanceLine:
    'sold initial|sold final|sold precedent|sold anterior|sold de deschidere|sold de inchidere',
  totalLine: 'total|subtotal|sold|rulaj|rulaj total',
  months:
    'ianuarie/ian|februarie/feb|martie/mar|aprilie/apr|mai|iunie/iun|iulie/iul|august/aug|septembrie/sep/sept|octombrie/oct|noiembrie/nov/noi|decembrie/dec',
};
