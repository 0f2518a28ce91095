extension PostgresRegistrySchema {
  /// The functions that change campaigns, their groups, batches, and tallies.
  static let campaigns = records + starts + batches

  /// The parameters of a campaign, in the order of the columns.
  private static let columns = """
    in_id text, in_created bigint, in_document bytea, in_topic text, in_audience text,
      in_subject text, in_rate bigint, in_state text, in_problem text, in_total bigint,
      in_last_number bigint, in_finished bigint, in_environment text, in_name text
    """

  private static let records = """
    CREATE FUNCTION campaign_add(
      in_epoch bigint, in_write bigint, \(columns), in_original text
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      INSERT INTO campaign VALUES (in_id, in_created, in_document, in_topic, in_audience,
        in_subject, in_rate, in_state, in_problem, in_total, in_last_number, in_finished,
        in_environment, in_name);
      IF in_original IS NOT NULL AND in_audience = 'list' THEN
        INSERT INTO campaign_recipient
        SELECT in_id, r.number, r.sealed, r.language, r.time_zone, r.environment
        FROM campaign_recipient r WHERE r.campaign = in_original;
      END IF;
      RETURN registry_end('{}');
    END $body$;
    CREATE FUNCTION campaign_replace(in_epoch bigint, in_write bigint, \(columns))
    RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      UPDATE campaign c SET document = in_document, topic = in_topic, audience = in_audience,
        subject = in_subject, rate = in_rate, state = in_state, problem = in_problem,
        total = in_total, last_number = in_last_number, finished = in_finished,
        environment = in_environment, name = in_name
      WHERE c.id = in_id;
      IF in_audience <> 'list' THEN
        DELETE FROM campaign_recipient r WHERE r.campaign = in_id;
      END IF;
      RETURN registry_end('{}');
    END $body$;
    CREATE FUNCTION campaign_update(
      in_epoch bigint, in_write bigint, in_id text, in_state text, in_problem text,
      in_total bigint, in_last_number bigint, in_finished bigint
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      UPDATE campaign c SET state = in_state, problem = in_problem, total = in_total,
        last_number = in_last_number, finished = in_finished
      WHERE c.id = in_id;
      RETURN registry_end('{}');
    END $body$;
    CREATE FUNCTION campaign_remove(in_epoch bigint, in_write bigint, in_id text)
    RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      DELETE FROM campaign_batch b WHERE b.campaign = in_id;
      DELETE FROM campaign_group g WHERE g.campaign = in_id;
      DELETE FROM campaign_tally t WHERE t.campaign = in_id;
      DELETE FROM campaign_recipient r WHERE r.campaign = in_id;
      DELETE FROM campaign c WHERE c.id = in_id;
      RETURN registry_end('{}');
    END $body$;

    """

  /// Starts a campaign, and returns the highest number of its audience; or undoes the start, and returns 1, unless the
  /// campaign has claimed recipients.
  private static let starts = """
    CREATE FUNCTION campaign_start(
      in_epoch bigint, in_write bigint, in_id text, in_topic text, in_audience text,
      in_subject text, in_problem text, in_total bigint, in_finished bigint,
      in_takes_snapshot bigint, in_any_zones bigint[], in_zones text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      highest bigint;
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      IF in_audience = 'list' THEN
        SELECT coalesce(max(r.number), 0) INTO highest FROM campaign_recipient r
        WHERE r.campaign = in_id;
      ELSE
        SELECT coalesce(max(t.number), 0) INTO highest FROM registry_token t;
      END IF;
      IF in_takes_snapshot = 1 THEN
        PERFORM campaign_snapshot(in_id, in_topic, in_audience, in_subject);
      END IF;
      INSERT INTO campaign_group
      SELECT in_id, z.place - 1, z.any_zone, z.time_zone, 0, 0
      FROM unnest(in_any_zones, in_zones) WITH ORDINALITY AS z (any_zone, time_zone, place);
      UPDATE campaign c SET state = 'running', problem = in_problem, total = in_total,
        last_number = highest, finished = in_finished
      WHERE c.id = in_id;
      RETURN registry_end(ARRAY[highest]);
    END $body$;
    CREATE FUNCTION campaign_unstart(
      in_epoch bigint, in_write bigint, in_id text, in_audience text, in_total bigint,
      in_finished bigint
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      IF EXISTS (SELECT 1 FROM campaign_group g
          WHERE g.campaign = in_id AND (g.cursor > 0 OR g.claimed > 0))
        OR EXISTS (SELECT 1 FROM campaign_batch b WHERE b.campaign = in_id)
        OR EXISTS (SELECT 1 FROM campaign_tally t WHERE t.campaign = in_id)
      THEN
        RETURN registry_end('{0}');
      END IF;
      DELETE FROM campaign_group g WHERE g.campaign = in_id;
      -- A list that was supplied with the campaign is retained.
      IF in_audience <> 'list' THEN
        DELETE FROM campaign_recipient r WHERE r.campaign = in_id;
      END IF;
      UPDATE campaign c SET state = 'scheduled', problem = NULL, total = in_total,
        last_number = 0, finished = in_finished
      WHERE c.id = in_id;
      RETURN registry_end('{1}');
    END $body$;

    """

  /// Claims and settles batches.
  ///
  /// A claim returns the number and the range of the batch; `{0}` if no recipients remain, and `{}` if the group is
  /// missing. The settlement returns 0 if the batch is missing.
  private static let batches = """
    CREATE FUNCTION campaign_claim(
      in_epoch bigint, in_write bigint, in_campaign text, in_topic text, in_audience text,
      in_subject text, in_environment text, in_any_zone bigint, in_zone text, in_last bigint,
      in_limit bigint, in_group bigint, in_milliseconds bigint
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      start bigint;
      final bigint;
      batch bigint;
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      SELECT g.cursor INTO start FROM campaign_group g
      WHERE g.campaign = in_campaign AND g.number = in_group;
      IF NOT FOUND THEN RETURN registry_end('{}'); END IF;
      SELECT max(r.found_number) INTO final FROM campaign_recipients(
        in_campaign, in_topic, in_audience, in_subject, in_environment, in_any_zone, in_zone,
        start, in_last, in_limit) r;
      IF final IS NULL THEN
        UPDATE campaign_group g SET claimed = 1
        WHERE g.campaign = in_campaign AND g.number = in_group;
        RETURN registry_end('{0}');
      END IF;
      SELECT coalesce(max(b.number), 0) + 1 INTO batch FROM campaign_batch b
      WHERE b.campaign = in_campaign;
      UPDATE campaign_group g SET cursor = final, claimed = 0
      WHERE g.campaign = in_campaign AND g.number = in_group;
      INSERT INTO campaign_batch
      VALUES (in_campaign, batch, in_group, start, final, in_milliseconds, NULL, 1);
      RETURN registry_end(ARRAY[batch, start, final]);
    END $body$;
    CREATE FUNCTION campaign_settle(
      in_epoch bigint, in_write bigint, in_campaign text, in_batch bigint, in_finishes bigint,
      in_numbers bytea, in_sent bigint, in_claimed bigint, in_outcomes text[],
      in_reasons text[], in_languages text[], in_counts bigint[], in_dead bytea[],
      in_topics text[], in_since bigint[], in_environments text[]
    ) RETURNS bigint[] LANGUAGE plpgsql AS $body$
    DECLARE
      kept bigint;
    BEGIN
      IF NOT registry_begin(in_epoch, in_write) THEN RETURN registry_results(); END IF;
      IF in_finishes = 1 THEN
        DELETE FROM campaign_batch b WHERE b.campaign = in_campaign AND b.number = in_batch;
      ELSE
        UPDATE campaign_batch b SET numbers = in_numbers, sent = in_sent, claimed = in_claimed
        WHERE b.campaign = in_campaign AND b.number = in_batch;
      END IF;
      IF NOT FOUND THEN RETURN registry_end('{0}'); END IF;
      kept := (registry_bury(in_dead, in_topics, in_since, in_environments))[2];
      INSERT INTO campaign_tally
      SELECT in_campaign, t.outcome, t.reason, t.language, sum(t.recipients)::bigint FROM (
        SELECT * FROM unnest(in_outcomes, in_reasons, in_languages, in_counts)
        UNION ALL SELECT 'kept', '', '', kept
      ) AS t (outcome, reason, language, recipients)
      WHERE t.recipients > 0 GROUP BY t.outcome, t.reason, t.language
      ON CONFLICT (campaign, outcome, reason, language)
        DO UPDATE SET count = campaign_tally.count + excluded.count;
      RETURN registry_end('{1}');
    END $body$;

    """
}
