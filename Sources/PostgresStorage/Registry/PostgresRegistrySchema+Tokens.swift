extension PostgresRegistrySchema {
  /// The functions that register and remove tokens.
  ///
  /// Rows of which there is one per app are changed once per write, because PostgreSQL retains each version of a row
  /// until the commit, and reads all of them to find the newest.
  static let tokens = counts + register + removal

  private static let counts = """
    CREATE FUNCTION registry_count_tokens(in_added text[], in_removed text[]) RETURNS void
    LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO registry_count
      SELECT changes.topic, sum(changes.tokens)::bigint FROM (
        SELECT a.topic, 1 FROM unnest(in_added) AS a (topic)
        UNION ALL SELECT r.topic, -1 FROM unnest(in_removed) AS r (topic)
      ) AS changes (topic, tokens)
      GROUP BY changes.topic
      ON CONFLICT (topic) DO UPDATE SET tokens = registry_count.tokens + excluded.tokens;
    END $body$;

    """

  /// Registers tokens in their order, and returns one number per token, as in ``RegistrationChange/init(code:)``.
  ///
  /// The tags of a token end at its `tag_end` in `in_tags`. A token that replaces the installation's previous token has
  /// the previous token's number, so that a running campaign reaches the installation only once. A renewal uses up a
  /// number, as in SQLite, so that the tests can compare both stores.
  private static let register = """
    CREATE FUNCTION registry_register(
      in_epoch bigint, in_write bigint, in_milliseconds bigint, in_limit bigint,
      in_limited text[], in_topics text[], in_sealed bytea[], in_languages text[],
      in_zones text[], in_users text[], in_installations text[], in_environments text[],
      in_tag_ends bigint[], in_tags text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      token record;
      known bigint;
      former bigint;
      chosen bigint;
      highest bigint;
      limited bigint;
      tag_end bigint := 0;
      added text[] := '{}';
      removed text[] := '{}';
      changes bigint[] := '{}';
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      SELECT p.last_token INTO highest FROM registry_progress p;
      SELECT coalesce(sum(c.tokens), 0) INTO limited FROM registry_count c
      WHERE c.topic = ANY (in_limited);
      FOR token IN SELECT * FROM unnest(
        in_topics, in_sealed, in_languages, in_zones, in_users, in_installations,
        in_environments, in_tag_ends
      ) AS t (topic, sealed, language, time_zone, user_name, installation, environment, tag_end)
      LOOP
        SELECT t.number INTO known FROM registry_token t
        WHERE t.sealed = token.sealed AND t.topic = token.topic;
        former := NULL;
        IF token.installation IS NOT NULL THEN
          DELETE FROM registry_token t
          WHERE t.installation = token.installation AND t.topic = token.topic
            AND t.sealed <> token.sealed
          RETURNING t.number INTO former;
        END IF;
        IF former IS NOT NULL THEN
          removed := removed || token.topic;
          IF token.topic = ANY (in_limited) THEN limited := limited - 1; END IF;
        END IF;
        IF known IS NULL AND former IS NULL AND limited >= in_limit THEN
          changes := changes || 4::bigint;
        ELSE
          IF former IS NULL OR known IS NOT NULL THEN highest := highest + 1; END IF;
          IF known IS NULL THEN
            chosen := coalesce(former, highest);
            INSERT INTO registry_token (number, topic, sealed, language, time_zone, user_name,
              installation, first, last, environment)
            VALUES (chosen, token.topic, token.sealed, token.language, token.time_zone,
              token.user_name, token.installation, in_milliseconds, in_milliseconds,
              token.environment);
            added := added || token.topic;
            IF token.topic = ANY (in_limited) THEN limited := limited + 1; END IF;
            changes := changes || CASE WHEN former IS NULL THEN 1 ELSE 2 END::bigint;
          ELSE
            chosen := known;
            UPDATE registry_token t SET language = token.language, time_zone = token.time_zone,
              user_name = token.user_name, installation = token.installation,
              last = greatest(t.last, in_milliseconds), environment = token.environment
            WHERE t.number = known;
            DELETE FROM registry_tag g WHERE g.token = known;
            changes := changes || 3::bigint;
          END IF;
          FOR i IN tag_end + 1 .. token.tag_end LOOP
            INSERT INTO registry_tag VALUES (in_tags[i], chosen) ON CONFLICT DO NOTHING;
          END LOOP;
        END IF;
        tag_end := token.tag_end;
      END LOOP;
      UPDATE registry_progress SET last_token = highest;
      PERFORM registry_count_tokens(added, removed);
      RETURN registry_end(changes);
    END $body$;

    """

  /// Removes tokens; `registry_bury` returns the numbers of the tokens that it removed and kept.
  ///
  /// A token that was reported as dead in only one environment might be valid in another environment, so it is not
  /// counted as kept.
  private static let removal = """
    CREATE FUNCTION registry_remove(
      in_epoch bigint, in_write bigint, in_sealed bytea, in_topic text
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      removed text[];
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      WITH gone AS (
        DELETE FROM registry_token t
        WHERE t.sealed = in_sealed AND (in_topic IS NULL OR t.topic = in_topic)
        RETURNING t.topic
      ) SELECT coalesce(array_agg(g.topic), '{}') INTO removed FROM gone g;
      PERFORM registry_count_tokens('{}', removed);
      RETURN registry_end(ARRAY[cardinality(removed)::bigint]);
    END $body$;
    CREATE FUNCTION registry_bury(
      in_sealed bytea[], in_topics text[], in_since bigint[], in_environments text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      dead record;
      topics text[];
      removed text[] := '{}';
      kept bigint := 0;
    BEGIN
      FOR dead IN SELECT * FROM unnest(in_sealed, in_topics, in_since, in_environments)
        AS d (sealed, topic, since, environment)
      LOOP
        WITH gone AS (
          DELETE FROM registry_token t
          WHERE t.sealed = dead.sealed AND (dead.topic IS NULL OR t.topic = dead.topic)
            AND t.last <= dead.since
            AND (dead.environment IS NULL OR t.environment = dead.environment)
          RETURNING t.topic
        ) SELECT array_agg(g.topic) INTO topics FROM gone g;
        IF topics IS NOT NULL THEN
          removed := removed || topics;
        ELSIF dead.environment IS NULL AND EXISTS (
          SELECT 1 FROM registry_token t
          WHERE t.sealed = dead.sealed AND (dead.topic IS NULL OR t.topic = dead.topic)
        ) THEN
          kept := kept + 1;
        END IF;
      END LOOP;
      PERFORM registry_count_tokens('{}', removed);
      INSERT INTO registry_departure
      SELECT r.topic, count(*) FROM unnest(removed) AS r (topic) GROUP BY r.topic
      ON CONFLICT (topic) DO UPDATE SET tokens = registry_departure.tokens + excluded.tokens;
      RETURN ARRAY[cardinality(removed)::bigint, kept];
    END $body$;
    CREATE FUNCTION registry_remove_dead(
      in_epoch bigint, in_write bigint, in_sealed bytea[], in_topics text[], in_since bigint[],
      in_environments text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      RETURN registry_end(registry_bury(in_sealed, in_topics, in_since, in_environments));
    END $body$;

    """
}
