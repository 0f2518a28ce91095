extension PostgresRegistrySchema {
  /// The keys of Web Push subscriptions, and the function that registers them.
  ///
  /// The function calls `registry_register`, which counts a repetition instead of registering again. A repetition must
  /// not store the keys either, because a newer registration might have replaced them. Of two registrations of the same
  /// token in one call, the last one applies.
  static let subscriptions = """
    ALTER TABLE registry_token ADD COLUMN keys bytea;
    CREATE FUNCTION registry_subscribe(
      in_epoch bigint, in_write bigint, in_milliseconds bigint, in_limit bigint,
      in_limited text[], in_topics text[], in_sealed bytea[], in_languages text[],
      in_zones text[], in_users text[], in_installations text[], in_environments text[],
      in_tag_ends bigint[], in_tags text[], in_keys bytea[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      repeats_before bigint;
      changes bigint[];
    BEGIN
      SELECT p.repeats INTO repeats_before FROM registry_progress p FOR UPDATE;
      changes := registry_register(
        in_epoch, in_write, in_milliseconds, in_limit, in_limited, in_topics, in_sealed,
        in_languages, in_zones, in_users, in_installations, in_environments, in_tag_ends, in_tags);
      IF (SELECT p.repeats FROM registry_progress p) = repeats_before THEN
        UPDATE registry_token t SET keys = newest.keys
        FROM (
          SELECT DISTINCT ON (k.topic, k.sealed) k.topic, k.sealed, k.keys
          FROM unnest(in_topics, in_sealed, in_keys) WITH ORDINALITY
            AS k (topic, sealed, keys, place)
          ORDER BY k.topic, k.sealed, k.place DESC
        ) AS newest
        WHERE t.sealed = newest.sealed AND t.topic = newest.topic
          AND t.keys IS DISTINCT FROM newest.keys;
      END IF;
      RETURN changes;
    END $body$;

    """
}
