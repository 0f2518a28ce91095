/// The tables of the registry in PostgreSQL.
///
/// The names have prefixes, so that a gateway and a provider service can share a database. Texts are compared bytewise
/// (`COLLATE "C"`), so that the order does not depend on the database's locale.
enum PostgresRegistrySchema {
  static let schema = PostgresSchema(
    name: "registry",
    migrations: [tables + writes + tokens + audiences + campaigns, subscriptions])

  private static let tables = """
    CREATE TABLE registry_progress (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL,
      write bigint NOT NULL, results bigint[] NOT NULL, repeats bigint NOT NULL,
      last_token bigint NOT NULL, folder text
    );
    INSERT INTO registry_progress VALUES (true, 0, 0, '{}', 0, 0, NULL);
    CREATE TABLE registry_token (
      number bigint PRIMARY KEY, topic text COLLATE "C" NOT NULL, sealed bytea NOT NULL,
      language text COLLATE "C", time_zone text COLLATE "C", user_name text COLLATE "C",
      installation text COLLATE "C", first bigint NOT NULL, last bigint NOT NULL,
      environment text COLLATE "C", UNIQUE (sealed, topic)
    );
    CREATE INDEX registry_token_by_topic ON registry_token (topic, number);
    CREATE INDEX registry_token_by_user ON registry_token (user_name, number)
      WHERE user_name IS NOT NULL;
    CREATE UNIQUE INDEX registry_token_by_installation ON registry_token (installation, topic)
      WHERE installation IS NOT NULL;
    CREATE TABLE registry_tag (
      name text COLLATE "C", token bigint REFERENCES registry_token ON DELETE CASCADE,
      PRIMARY KEY (name, token)
    );
    CREATE INDEX registry_tag_by_token ON registry_tag (token);
    CREATE TABLE registry_count (topic text COLLATE "C" PRIMARY KEY, tokens bigint NOT NULL);
    CREATE TABLE registry_departure (topic text COLLATE "C" PRIMARY KEY, tokens bigint NOT NULL);
    CREATE TABLE campaign (
      id text COLLATE "C" PRIMARY KEY, created bigint NOT NULL, document bytea NOT NULL,
      topic text COLLATE "C" NOT NULL, audience text NOT NULL, subject text NOT NULL, rate bigint,
      state text COLLATE "C" NOT NULL, problem text, total bigint NOT NULL,
      last_number bigint NOT NULL, finished bigint, environment text, name text
    );
    CREATE INDEX campaign_by_state ON campaign (state, created);
    CREATE INDEX campaign_by_topic ON campaign (topic, created);
    CREATE TABLE campaign_recipient (
      campaign text COLLATE "C", number bigint, sealed bytea NOT NULL, language text COLLATE "C",
      time_zone text COLLATE "C", environment text COLLATE "C", PRIMARY KEY (campaign, number),
      UNIQUE (campaign, sealed)
    );
    CREATE INDEX campaign_recipient_by_zone ON campaign_recipient (campaign, time_zone, number);
    CREATE TABLE campaign_group (
      campaign text COLLATE "C" REFERENCES campaign, number bigint, any_zone bigint NOT NULL,
      time_zone text COLLATE "C", cursor bigint NOT NULL, claimed bigint NOT NULL,
      PRIMARY KEY (campaign, number)
    );
    CREATE TABLE campaign_batch (
      campaign text COLLATE "C" REFERENCES campaign, number bigint, leg bigint NOT NULL,
      after bigint NOT NULL, last bigint NOT NULL, claimed bigint NOT NULL, numbers bytea,
      sent bigint NOT NULL, PRIMARY KEY (campaign, number)
    );
    CREATE TABLE campaign_tally (
      campaign text COLLATE "C" REFERENCES campaign, outcome text COLLATE "C",
      reason text COLLATE "C", language text COLLATE "C", count bigint NOT NULL,
      PRIMARY KEY (campaign, outcome, reason, language)
    );

    """

  /// The functions with which each write begins and ends.
  ///
  /// Each write of a process has the next higher number. If the result of a commit is unknown, the write is repeated
  /// with the same number. `registry_begin` returns false if the number is not new; the write then has no effect except
  /// that it counts the repetition, which proves that the server still accepts commits. It returns the results of the
  /// first attempt, which are stored in the same transaction as its changes. A lost attempt that the server executes
  /// later than other writes has an old number, so it has no effect either.
  ///
  /// The row is locked until the commit, so the writes exclude each other, and a repeated write waits for its first
  /// attempt.
  private static let writes = """
    CREATE FUNCTION registry_begin(in_epoch bigint, in_write bigint) RETURNS boolean
    LANGUAGE plpgsql AS $body$
    BEGIN
      UPDATE registry_progress SET epoch = in_epoch, write = in_write, results = '{}'
      WHERE epoch < in_epoch OR epoch = in_epoch AND write < in_write;
      IF FOUND THEN RETURN true; END IF;
      UPDATE registry_progress SET repeats = repeats + 1;
      RETURN false;
    END $body$;
    CREATE FUNCTION registry_results() RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      RETURN (SELECT results FROM registry_progress);
    END $body$;
    CREATE FUNCTION registry_end(in_results bigint[]) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      UPDATE registry_progress SET results = in_results;
      RETURN in_results;
    END $body$;
    CREATE FUNCTION registry_link(in_epoch bigint, in_write bigint, in_folder text)
    RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      UPDATE registry_progress SET folder = in_folder;
      RETURN registry_end('{}');
    END $body$;

    """
}
