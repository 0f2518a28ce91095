/// The tables of the registry.
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
      // The environment of a token; what left as dead.
      """
      ALTER TABLE token ADD COLUMN environment TEXT;
      ALTER TABLE recipient ADD COLUMN environment TEXT;
      ALTER TABLE campaign ADD COLUMN environment TEXT;
      CREATE TABLE departure (
        topic TEXT PRIMARY KEY, count INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """,
    ])
}
