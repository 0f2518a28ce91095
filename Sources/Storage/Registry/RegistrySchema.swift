/// The schema of the registry.
extension RegistryEngine {
  static let schema = SQLiteDatabase.Schema(
    applicationID: 0x4266_5052,  // "BfPR"
    migrations: [
      """
      CREATE TABLE token (
        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, sealed BLOB NOT NULL,
        language TEXT, time_zone TEXT, user TEXT, installation TEXT,
        first INTEGER NOT NULL, last INTEGER NOT NULL, UNIQUE (sealed, topic)
      ) STRICT;
      CREATE INDEX token_by_topic ON token (topic);
      CREATE INDEX token_by_user ON token (user, topic) WHERE user IS NOT NULL;
      CREATE UNIQUE INDEX token_by_installation ON token (installation, topic)
        WHERE installation IS NOT NULL;
      CREATE TABLE tag (
        name TEXT NOT NULL, token INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,
        PRIMARY KEY (name, token)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX tag_by_token ON tag (token);
      CREATE TABLE campaign (
        id TEXT PRIMARY KEY, created INTEGER NOT NULL, document BLOB NOT NULL, topic TEXT NOT NULL,
        audience TEXT NOT NULL, subject TEXT NOT NULL, rate INTEGER, state TEXT NOT NULL,
        problem TEXT, total INTEGER NOT NULL, last_number INTEGER NOT NULL, finished INTEGER
      ) STRICT;
      CREATE TABLE recipient (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL, sealed BLOB NOT NULL,
        language TEXT, time_zone TEXT, PRIMARY KEY (campaign, number), UNIQUE (campaign, sealed)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX recipient_by_zone ON recipient (campaign, time_zone, number);
      CREATE TABLE leg (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
        any_zone INTEGER NOT NULL, time_zone TEXT, cursor INTEGER NOT NULL, claimed INTEGER NOT NULL,
        PRIMARY KEY (campaign, number)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE batch (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL, leg INTEGER NOT NULL,
        after INTEGER NOT NULL, last INTEGER NOT NULL, claimed INTEGER NOT NULL,
        numbers BLOB, sent INTEGER NOT NULL,
        PRIMARY KEY (campaign, number)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE tally (
        campaign TEXT NOT NULL REFERENCES campaign, outcome TEXT NOT NULL, reason TEXT NOT NULL,
        count INTEGER NOT NULL, PRIMARY KEY (campaign, outcome, reason)
      ) STRICT, WITHOUT ROWID;
      """,
      // The environments of tokens, and the number of dead tokens that were removed.
      """
      ALTER TABLE token ADD COLUMN environment TEXT;
      ALTER TABLE recipient ADD COLUMN environment TEXT;
      ALTER TABLE campaign ADD COLUMN environment TEXT;
      CREATE TABLE departure (
        topic TEXT PRIMARY KEY, count INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """,
      // Checksums of rows, and a table for rows whose checksums don't match.
      """
      CREATE TABLE new_token (
        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, sealed BLOB NOT NULL,
        language TEXT, time_zone TEXT, user TEXT, installation TEXT, first INTEGER NOT NULL,
        last INTEGER NOT NULL, environment TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, topic, sealed, language, time_zone, user, installation,
          first, last, environment)
        ) STORED,
        UNIQUE (sealed, topic)
      ) STRICT;
      INSERT INTO new_token (number, topic, sealed, language, time_zone, user, installation,
        first, last, environment)
        SELECT number, topic, sealed, language, time_zone, user, installation, first, last,
        environment
        FROM token;
      DELETE FROM sqlite_sequence WHERE name = 'new_token';
      INSERT INTO sqlite_sequence SELECT 'new_token', seq FROM sqlite_sequence WHERE name = 'token';
      DROP TABLE token;
      ALTER TABLE new_token RENAME TO token;
      CREATE INDEX token_by_topic ON token (topic);
      CREATE INDEX token_by_user ON token (user, topic) WHERE user IS NOT NULL;
      CREATE UNIQUE INDEX token_by_installation ON token (installation, topic)
        WHERE installation IS NOT NULL;
      CREATE TABLE new_tag (
        name TEXT NOT NULL, token INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, name, token)
        ) STORED,
        PRIMARY KEY (name, token)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_tag (name, token)
        SELECT name, token
        FROM tag;
      DROP TABLE tag;
      ALTER TABLE new_tag RENAME TO tag;
      CREATE INDEX tag_by_token ON tag (token);
      CREATE TABLE new_campaign (
        id TEXT PRIMARY KEY, created INTEGER NOT NULL, document BLOB NOT NULL,
        topic TEXT NOT NULL, audience TEXT NOT NULL, subject TEXT NOT NULL, rate INTEGER,
        state TEXT NOT NULL, problem TEXT, total INTEGER NOT NULL,
        last_number INTEGER NOT NULL, finished INTEGER, environment TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, id, created, document, topic, audience, subject, rate, state,
          problem, total, last_number, finished, environment)
        ) STORED
      ) STRICT;
      INSERT INTO new_campaign (id, created, document, topic, audience, subject, rate, state,
        problem, total, last_number, finished, environment)
        SELECT id, created, document, topic, audience, subject, rate, state, problem, total,
        last_number, finished, environment
        FROM campaign;
      DROP TABLE campaign;
      ALTER TABLE new_campaign RENAME TO campaign;
      CREATE TABLE new_recipient (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
        sealed BLOB NOT NULL, language TEXT, time_zone TEXT, environment TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, campaign, number, sealed, language, time_zone, environment)
        ) STORED,
        PRIMARY KEY (campaign, number), UNIQUE (campaign, sealed)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_recipient (campaign, number, sealed, language, time_zone, environment)
        SELECT campaign, number, sealed, language, time_zone, environment
        FROM recipient;
      DROP TABLE recipient;
      ALTER TABLE new_recipient RENAME TO recipient;
      CREATE INDEX recipient_by_zone ON recipient (campaign, time_zone, number);
      CREATE TABLE new_leg (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
        any_zone INTEGER NOT NULL, time_zone TEXT, cursor INTEGER NOT NULL,
        claimed INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, campaign, number, any_zone, time_zone, cursor, claimed)
        ) STORED,
        PRIMARY KEY (campaign, number)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_leg (campaign, number, any_zone, time_zone, cursor, claimed)
        SELECT campaign, number, any_zone, time_zone, cursor, claimed
        FROM leg;
      DROP TABLE leg;
      ALTER TABLE new_leg RENAME TO leg;
      CREATE TABLE new_batch (
        campaign TEXT NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
        leg INTEGER NOT NULL, after INTEGER NOT NULL, last INTEGER NOT NULL,
        claimed INTEGER NOT NULL, numbers BLOB, sent INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, campaign, number, leg, after, last, claimed, numbers, sent)
        ) STORED,
        PRIMARY KEY (campaign, number)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_batch (campaign, number, leg, after, last, claimed, numbers, sent)
        SELECT campaign, number, leg, after, last, claimed, numbers, sent
        FROM batch;
      DROP TABLE batch;
      ALTER TABLE new_batch RENAME TO batch;
      CREATE TABLE new_tally (
        campaign TEXT NOT NULL REFERENCES campaign, outcome TEXT NOT NULL,
        reason TEXT NOT NULL, count INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(3, campaign, outcome, reason, count)
        ) STORED,
        PRIMARY KEY (campaign, outcome, reason)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_tally (campaign, outcome, reason, count)
        SELECT campaign, outcome, reason, count
        FROM tally;
      DROP TABLE tally;
      ALTER TABLE new_tally RENAME TO tally;
      CREATE TABLE new_departure (
        topic TEXT PRIMARY KEY, count INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, topic, count)
        ) STORED
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_departure (topic, count)
        SELECT topic, count
        FROM departure;
      DROP TABLE departure;
      ALTER TABLE new_departure RENAME TO departure;
      CREATE TABLE set_aside (
        number INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT, content TEXT NOT NULL,
        found INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, source, key, content, found)
        ) STORED
      ) STRICT;
      """,
      // The names and new states of campaigns, and outcomes by the language of the text.
      """
      CREATE TABLE new_campaign (
        id TEXT PRIMARY KEY, created INTEGER NOT NULL, document BLOB NOT NULL,
        topic TEXT NOT NULL, audience TEXT NOT NULL, subject TEXT NOT NULL, rate INTEGER,
        state TEXT NOT NULL, problem TEXT, total INTEGER NOT NULL,
        last_number INTEGER NOT NULL, finished INTEGER, environment TEXT, name TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, id, created, document, topic, audience, subject, rate, state,
          problem, total, last_number, finished, environment, name)
        ) STORED
      ) STRICT;
      INSERT INTO new_campaign (id, created, document, topic, audience, subject, rate, state,
        problem, total, last_number, finished, environment)
        SELECT id, created, document, topic, audience, subject, rate,
        CASE state WHEN 'preparing' THEN 'draft' WHEN 'finished' THEN 'completed' ELSE state END,
        problem, total, last_number, finished, environment
        FROM campaign;
      DROP TABLE campaign;
      ALTER TABLE new_campaign RENAME TO campaign;
      CREATE INDEX campaign_by_state ON campaign (state, created);
      CREATE TABLE new_tally (
        campaign TEXT NOT NULL REFERENCES campaign, outcome TEXT NOT NULL,
        reason TEXT NOT NULL, language TEXT NOT NULL, count INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(4, campaign, outcome, reason, language, count)
        ) STORED,
        PRIMARY KEY (campaign, outcome, reason, language)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_tally (campaign, outcome, reason, language, count)
        SELECT campaign, outcome, reason, '', count
        FROM tally;
      DROP TABLE tally;
      ALTER TABLE new_tally RENAME TO tally;
      """,
      // The keys of Web Push subscriptions.
      """
      CREATE TABLE new_token (
        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, sealed BLOB NOT NULL,
        language TEXT, time_zone TEXT, user TEXT, installation TEXT, first INTEGER NOT NULL,
        last INTEGER NOT NULL, environment TEXT, keys BLOB,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, topic, sealed, language, time_zone, user, installation,
          first, last, environment, keys)
        ) STORED,
        UNIQUE (sealed, topic)
      ) STRICT;
      INSERT INTO new_token (number, topic, sealed, language, time_zone, user, installation,
        first, last, environment)
        SELECT number, topic, sealed, language, time_zone, user, installation, first, last,
        environment
        FROM token;
      DELETE FROM sqlite_sequence WHERE name = 'new_token';
      INSERT INTO sqlite_sequence SELECT 'new_token', seq FROM sqlite_sequence WHERE name = 'token';
      DROP TABLE token;
      ALTER TABLE new_token RENAME TO token;
      CREATE INDEX token_by_topic ON token (topic);
      CREATE INDEX token_by_user ON token (user, topic) WHERE user IS NOT NULL;
      CREATE UNIQUE INDEX token_by_installation ON token (installation, topic)
        WHERE installation IS NOT NULL;
      """,
    ], tables: RegistryTable.all)
}

/// The tables of the registry, whose rows have checksums.
enum RegistryTable {
  static let all = [token, tag, campaign, recipient, leg, batch, tally, departure, .setAside]

  static let token = ChecksummedTable(
    name: "token", key: ["number"],
    rest: [
      "topic", "sealed", "language", "time_zone", "user", "installation", "first", "last",
      "environment", "keys",
    ], isUpdated: true)
  static let tag = ChecksummedTable(name: "tag", key: ["name", "token"], rest: [])
  static let campaign = ChecksummedTable(
    name: "campaign", key: ["id"],
    rest: [
      "created", "document", "topic", "audience", "subject", "rate", "state", "problem", "total",
      "last_number", "finished", "environment", "name",
    ], isUpdated: true)
  static let recipient = ChecksummedTable(
    name: "recipient", key: ["campaign", "number"],
    rest: ["sealed", "language", "time_zone", "environment"])
  static let leg = ChecksummedTable(
    name: "leg", key: ["campaign", "number"], rest: ["any_zone", "time_zone", "cursor", "claimed"],
    isUpdated: true)
  static let batch = ChecksummedTable(
    name: "batch", key: ["campaign", "number"],
    rest: ["leg", "after", "last", "claimed", "numbers", "sent"], isUpdated: true)
  static let tally = ChecksummedTable(
    name: "tally", key: ["campaign", "outcome", "reason", "language"], rest: ["count"],
    isUpdated: true)
  static let departure = ChecksummedTable(
    name: "departure", key: ["topic"], rest: ["count"], isUpdated: true)

  /// Returns the SQL condition that is true if the row to which a row belongs exists; nil if rows belong to no other row.
  static func hasOwner(_ table: ChecksummedTable) -> String? {
    switch table.name {
    case tag.name: "EXISTS (SELECT 1 FROM token WHERE number = tag.token)"
    case recipient.name, leg.name, batch.name, tally.name:
      "EXISTS (SELECT 1 FROM campaign WHERE id = \(table.name).campaign)"
    default: nil
    }
  }
}
