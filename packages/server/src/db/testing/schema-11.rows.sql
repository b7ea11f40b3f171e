INSERT INTO users (id, email, name, created_at) VALUES
  (1, 'ada@example.org', 'Ada', '2026-11-22T04:47:16.109Z');
INSERT INTO books (id, user_id, name, primary_currency, version, created_at, changed_at, pruned_version, derived_version, hidden_counts_version, texts_version) VALUES
  (1, 1, 'Ada’s book', 'eur', 5, '2026-11-22T04:47:16.109Z', '2026-11-22T04:47:19.115Z', 5, 0, 0, 0);
INSERT INTO access_tokens (id, user_id, book_id, token_hash, label, created_at) VALUES
  (1, 1, 1, x'945703f13ab95f1149e4e6a6b96785faa51d5c085f88a1f8a67a4048819fcf9c', 'phone', '2026-11-22T04:47:17.385Z');
INSERT INTO manual_accounts (id, book_id, name, type, currency, balance, balance_as_of, status, exclude_from_transactions, created_by_name, created_at, updated_at, to_base) VALUES
  (1, 1, 'Everyday', 'cash', 'eur', 0, '2026-11-22T04:47:19.115Z', 'active', 0, 'Ada', '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z', 0),
  (2, 1, 'Savings', 'cash', 'eur', 0, '2026-11-22T04:47:19.115Z', 'active', 0, 'Ada', '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z', 0);
INSERT INTO categories (id, book_id, name, is_income, exclude_from_budget, exclude_from_totals, is_group, collapsed, created_at, updated_at) VALUES
  (1, 1, 'Food', 0, 0, 0, 0, 0, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z'),
  (2, 1, 'Income', 0, 0, 0, 0, 0, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z');
INSERT INTO transactions (id, book_id, date, amount, currency, to_base, payee, original_name, notes, category_id, manual_account_id, recurring_id, external_id, tag_ids, status, is_pending, is_split_parent, is_group_parent, source, plaid_metadata, custom_metadata, own_payee, own_notes, created_at, updated_at) VALUES
  (1, 1, '2026-03-01', 125000, 'eur', 125000, 'Bäckerei Müller', 'Bäckerei Müller', 'two "croissants"', 1, 1, 9, 'x', '[]', 'unreviewed', 0, 0, 0, 'csv', '{"b":null}', '{"a":[1,2.5,"ü"]}', 'own', '', '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z'),
  (2, 1, '2026-03-02', 30001, 'eur', 30001, 'Kiosk', 'Kiosk', NULL, NULL, 1, NULL, NULL, '[]', 'unreviewed', 0, 0, 0, 'csv', NULL, NULL, NULL, NULL, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z'),
  (3, 1, '2026-03-02', -25000000, 'eur', -25000000, 'Employer AG', 'Employer AG', 'salary', 2, 1, NULL, NULL, '[]', 'unreviewed', 0, 0, 0, 'csv', NULL, NULL, NULL, NULL, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z'),
  (4, 1, '2026-03-04', 9007199254740991, 'eur', 9007199254740991, 'Largest', 'Largest', NULL, 1, 2, NULL, NULL, '[]', 'unreviewed', 0, 0, 0, 'csv', NULL, NULL, NULL, NULL, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z'),
  (5, 1, '2026-02-28', 0, 'eur', 0, 'Nothing 🪙', 'Nothing 🪙', NULL, NULL, 2, NULL, NULL, '[]', 'unreviewed', 0, 0, 0, 'csv', NULL, NULL, NULL, NULL, '2026-11-22T04:47:19.115Z', '2026-11-22T04:47:19.115Z');
INSERT INTO transaction_files (id, book_id, transaction_id, uploaded_by, name, type, size, created_at) VALUES
  (1, 1, 1, 1, 'r.pdf', 'application/pdf', 9007199254740991, '2026-11-22T03:04:05.678Z');
INSERT INTO transaction_counts (book_id, granularity, period, listed) VALUES
  (1, 'day', '2026-02-28', 1),
  (1, 'day', '2026-03-01', 1),
  (1, 'day', '2026-03-02', 2),
  (1, 'day', '2026-03-04', 1),
  (1, 'month', '2026-02', 1),
  (1, 'month', '2026-03', 4);
INSERT INTO crypto_synced_accounts (id, book_id, provider, status, display_name, sealed_credentials, created_by_name, created_at, updated_at, last_import) VALUES
  (1, 1, 'ethereum', 'active', 'Wallet', x'01f866376ba6e7db2f09ae5d68b2c166967196658af4ac90d6be56c245dfd4c14bd11faf3d895c5bfdb53445ef8684a68e73e5faefef3b79e1e78c7b732fd26f8edb2c2b8cd76fc5b2a408097d00a7d2e562b698a19abf3329e1154bdd40e872d234e689243eb61f85b9ab46458bbf', 'Ada', '2026-11-22T04:47:20.820Z', '2026-11-22T03:04:05.678Z', '2026-11-22T03:04:05.678Z');
INSERT INTO crypto_synced_balances (book_id, account_id, symbol, name, quantity, coingecko_id, to_base, price_as_of, read_at) VALUES
  (1, 1, 'eth', 'Ethereum', '0.100020003000400050', 'ethereum', 9007199254740991, '2026-11-22T03:04:05.678Z', '2026-11-22T03:04:05.678Z'),
  (1, 1, 'x1', 'X 1', '999999999999999999999999999999.000000000000000000', NULL, NULL, NULL, '2026-11-22T03:04:05.678Z');
INSERT INTO database_identity (name, value) VALUES
  ('account_numbers', '67383011d57840fb3e9237f836cff41c'),
  ('file_links', 'ce3d9f9a0f4f866032078f0a01f381eb'),
  ('id', '73d8bec3096c5885abb36254eb33fd8a');
