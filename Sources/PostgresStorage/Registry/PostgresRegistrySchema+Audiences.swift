extension PostgresRegistrySchema {
  /// The functions that select the recipients of a campaign.
  static let audiences = selection + lists

  /// Returns the recipients with numbers above `in_after` and up to `in_last`, in order.
  ///
  /// Time zones come from the campaign's list, which is created when the campaign starts. A device that later moves to
  /// another time zone therefore stays in its group. The settings force the server to read the rows in the order of an
  /// index until the limit is reached; with outdated statistics, it might sort all remaining recipients for each batch.
  private static let selection = """
    CREATE FUNCTION campaign_recipients(
      in_campaign text, in_topic text, in_audience text, in_subject text, in_environment text,
      in_any_zone bigint, in_zone text, in_after bigint, in_last bigint, in_limit bigint
    ) RETURNS TABLE (found_number bigint, found_sealed bytea, found_language text)
    LANGUAGE plpgsql SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off
    SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
    BEGIN
      IF in_audience = 'list' AND in_any_zone = 1 THEN
        RETURN QUERY SELECT r.number, r.sealed, r.language FROM campaign_recipient r
        WHERE r.campaign = in_campaign AND r.number > in_after AND r.number <= in_last
          AND (in_environment IS NULL OR r.environment IS NULL OR r.environment = in_environment)
        ORDER BY r.number LIMIT in_limit;
      ELSIF in_any_zone = 0 AND in_zone IS NULL THEN
        RETURN QUERY SELECT r.number, r.sealed, r.language FROM campaign_recipient r
        WHERE r.campaign = in_campaign AND r.time_zone IS NULL AND r.number > in_after
          AND r.number <= in_last
          AND (in_audience = 'list' OR EXISTS (
            SELECT 1 FROM registry_token t WHERE t.sealed = r.sealed AND t.topic = in_topic))
          AND (in_environment IS NULL OR r.environment IS NULL OR r.environment = in_environment)
        ORDER BY r.number LIMIT in_limit;
      ELSIF in_any_zone = 0 THEN
        RETURN QUERY SELECT r.number, r.sealed, r.language FROM campaign_recipient r
        WHERE r.campaign = in_campaign AND r.time_zone = in_zone AND r.number > in_after
          AND r.number <= in_last
          AND (in_audience = 'list' OR EXISTS (
            SELECT 1 FROM registry_token t WHERE t.sealed = r.sealed AND t.topic = in_topic))
          AND (in_environment IS NULL OR r.environment IS NULL OR r.environment = in_environment)
        ORDER BY r.number LIMIT in_limit;
      ELSIF in_audience = 'all' THEN
        RETURN QUERY SELECT t.number, t.sealed, t.language FROM registry_token t
        WHERE t.topic = in_topic AND t.number > in_after AND t.number <= in_last
          AND (in_environment IS NULL OR t.environment IS NULL OR t.environment = in_environment)
        ORDER BY t.number LIMIT in_limit;
      ELSIF in_audience = 'tag' THEN
        RETURN QUERY SELECT g.token, t.sealed, t.language
        FROM registry_tag g JOIN registry_token t ON t.number = g.token
        WHERE g.name = in_subject AND t.topic = in_topic AND g.token > in_after
          AND g.token <= in_last
          AND (in_environment IS NULL OR t.environment IS NULL OR t.environment = in_environment)
        ORDER BY g.token LIMIT in_limit;
      ELSE
        RETURN QUERY SELECT t.number, t.sealed, t.language FROM registry_token t
        WHERE t.user_name = in_subject AND t.topic = in_topic AND t.number > in_after
          AND t.number <= in_last
          AND (in_environment IS NULL OR t.environment IS NULL OR t.environment = in_environment)
        ORDER BY t.number LIMIT in_limit;
      END IF;
    END $body$;

    """

  /// The functions that change a campaign's list of recipients.
  ///
  /// The list has no foreign key, because checking it for each recipient would take longer than inserting the row.
  private static let lists = """
    CREATE FUNCTION campaign_snapshot(
      in_campaign text, in_topic text, in_audience text, in_subject text
    ) RETURNS void LANGUAGE plpgsql AS $body$
    BEGIN
      IF in_audience = 'all' THEN
        INSERT INTO campaign_recipient
        SELECT in_campaign, t.number, t.sealed, t.language, t.time_zone, t.environment
        FROM registry_token t WHERE t.topic = in_topic;
      ELSIF in_audience = 'tag' THEN
        INSERT INTO campaign_recipient
        SELECT in_campaign, t.number, t.sealed, t.language, t.time_zone, t.environment
        FROM registry_tag g JOIN registry_token t ON t.number = g.token
        WHERE t.topic = in_topic AND g.name = in_subject;
      ELSIF in_audience = 'user' THEN
        INSERT INTO campaign_recipient
        SELECT in_campaign, t.number, t.sealed, t.language, t.time_zone, t.environment
        FROM registry_token t WHERE t.topic = in_topic AND t.user_name = in_subject;
      END IF;
    END $body$;
    CREATE FUNCTION campaign_append(
      in_epoch bigint, in_write bigint, in_campaign text, in_topics text[], in_sealed bytea[],
      in_languages text[], in_zones text[], in_environments text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      token record;
      highest bigint;
      added bigint := 0;
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      IF NOT EXISTS (SELECT 1 FROM campaign c WHERE c.id = in_campaign) THEN
        RETURN registry_end('{}');
      END IF;
      SELECT coalesce(max(r.number), 0) INTO highest FROM campaign_recipient r
      WHERE r.campaign = in_campaign;
      FOR token IN SELECT * FROM unnest(
        in_topics, in_sealed, in_languages, in_zones, in_environments
      ) AS t (topic, sealed, language, time_zone, environment)
      LOOP
        -- Data that is missing from the list, such as the language, is taken from the registry.
        INSERT INTO campaign_recipient
        SELECT in_campaign, highest + 1, token.sealed, coalesce(token.language, t.language),
          coalesce(token.time_zone, t.time_zone), coalesce(token.environment, t.environment)
        FROM (SELECT 1) AS one LEFT JOIN registry_token t
          ON t.sealed = token.sealed AND t.topic = token.topic
        ON CONFLICT (campaign, sealed) DO NOTHING;
        IF FOUND THEN
          highest := highest + 1;
          added := added + 1;
        END IF;
      END LOOP;
      RETURN registry_end(ARRAY[added]);
    END $body$;
    CREATE FUNCTION campaign_clear(in_epoch bigint, in_write bigint, in_campaign text)
    RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      DELETE FROM campaign_recipient r WHERE r.campaign = in_campaign;
      RETURN registry_end('{}');
    END $body$;
    CREATE FUNCTION campaign_trim(
      in_epoch bigint, in_write bigint, in_campaign text, in_limit bigint
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      removed bigint;
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      DELETE FROM campaign_recipient r WHERE r.campaign = in_campaign AND r.number IN (
        SELECT o.number FROM campaign_recipient o WHERE o.campaign = in_campaign
        ORDER BY o.number LIMIT in_limit);
      GET DIAGNOSTICS removed = ROW_COUNT;
      RETURN registry_end(ARRAY[removed]);
    END $body$;

    """
}
