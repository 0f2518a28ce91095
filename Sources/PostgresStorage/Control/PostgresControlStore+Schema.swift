extension PostgresControlStore {
  /// The tables have the same names and columns as those of the SQLite store.
  ///
  /// Texts are compared bytewise (`COLLATE "C"`), so that the order does not depend on the database's locale.
  static let schema = PostgresSchema(
    name: "control",
    migrations: [
      """
      CREATE TABLE team (
        id text COLLATE "C" PRIMARY KEY, name text NOT NULL, created bigint NOT NULL
      );
      CREATE TABLE provider_key (
        id text COLLATE "C" PRIMARY KEY, team text COLLATE "C" NOT NULL REFERENCES team,
        spki bytea NOT NULL, environments bigint NOT NULL, topics text NOT NULL, related text,
        created bigint NOT NULL, revoked bigint
      );
      CREATE INDEX provider_key_by_team ON provider_key (team);
      CREATE TABLE certificate (
        serial text COLLATE "C" PRIMARY KEY, team text COLLATE "C" NOT NULL REFERENCES team,
        bundle_id text NOT NULL, environments bigint NOT NULL, universal bigint NOT NULL,
        not_after bigint NOT NULL, created bigint NOT NULL, revoked bigint, authority text
      );
      CREATE INDEX certificate_by_team ON certificate (team);
      CREATE TABLE app (
        number bigint PRIMARY KEY, bundle_id text COLLATE "C" NOT NULL UNIQUE,
        team text COLLATE "C" NOT NULL REFERENCES team, keep bigint NOT NULL,
        broadcast bigint NOT NULL, created bigint NOT NULL, adopter bigint
      );
      CREATE INDEX app_by_team ON app (team);
      CREATE TABLE channel (
        id bytea PRIMARY KEY, app bigint NOT NULL REFERENCES app ON DELETE CASCADE,
        keeps_latest bigint NOT NULL, created bigint NOT NULL
      );
      CREATE INDEX channel_by_app ON channel (app);
      CREATE TABLE broadcast (
        channel bytea PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
        unique_high bigint NOT NULL, unique_low bigint NOT NULL, expiration bigint NOT NULL,
        priority bigint NOT NULL, payload bytea NOT NULL, accepted bigint NOT NULL,
        request_high bigint NOT NULL, request_low bigint NOT NULL,
        request_lowercase bigint NOT NULL
      );
      CREATE TABLE device (
        number bigint PRIMARY KEY, key_hash bytea NOT NULL, name text NOT NULL,
        enrolled bigint NOT NULL, revoked bigint, token_key text
      );
      CREATE INDEX device_by_key ON device (key_hash);
      CREATE TABLE device_certificate (
        serial text COLLATE "C" PRIMARY KEY, device bigint NOT NULL REFERENCES device,
        not_after bigint NOT NULL, authority text, shown bigint NOT NULL
      );
      CREATE INDEX device_certificate_by_device ON device_certificate (device);
      CREATE TABLE registration (
        device bigint, app bigint, kind bigint, generation bigint NOT NULL, state bigint NOT NULL,
        changed bigint NOT NULL, PRIMARY KEY (device, app, kind)
      );
      CREATE INDEX registration_unregistered ON registration (app, kind, changed, device)
        WHERE state = 3;
      CREATE INDEX registration_by_app ON registration (app);
      CREATE TABLE former_registration (
        device bigint, app bigint, kind bigint, generation bigint, changed bigint NOT NULL,
        PRIMARY KEY (device, app, kind, generation)
      );
      CREATE INDEX former_registration_by_time
        ON former_registration (app, kind, changed, device);
      CREATE TABLE subscription (
        device bigint, channel bytea REFERENCES channel ON DELETE CASCADE, received_high bigint,
        received_low bigint, PRIMARY KEY (device, channel)
      );
      CREATE INDEX subscription_by_channel ON subscription (channel);
      CREATE TABLE setting (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
      CREATE TABLE control_progress (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), changes bigint NOT NULL
      );
      INSERT INTO control_progress VALUES (true, 0);
      """,
      """
      CREATE TABLE upstream (
        app bigint PRIMARY KEY REFERENCES app ON DELETE CASCADE, key_id text NOT NULL,
        team_id text NOT NULL, sealed_key bytea NOT NULL, environment bigint NOT NULL,
        host text NOT NULL, port bigint NOT NULL, authority bytea NOT NULL,
        created bigint NOT NULL
      );
      CREATE TABLE budget (
        key text COLLATE "C" PRIMARY KEY REFERENCES provider_key ON DELETE CASCADE,
        per_day bigint, per_second bigint, day bigint NOT NULL, used bigint NOT NULL
      );
      """,
    ])
}
