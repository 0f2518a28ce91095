/// The tables and functions that the nodes of a cluster share.
enum PostgresCluster {
  /// The SQLSTATE with which a commit fails if another node has claimed devices; the message lists them.
  static let claimLostState = "BF003"

  static let schema = PostgresSchema(
    name: "cluster", migrations: [tables + checkClaims + claim + recordChanges])

  private static let tables = """
    CREATE TABLE claim (
      device bigint PRIMARY KEY, node smallint NOT NULL, number bigint NOT NULL,
      link smallint NOT NULL, former smallint NOT NULL DEFAULT 0
    );
    CREATE INDEX claim_elsewhere ON claim (link) WHERE link <> node AND link <> 0;
    CREATE TABLE change (
      number bigint PRIMARY KEY, kind smallint NOT NULL, subject bytea NOT NULL
    );
    CREATE TABLE change_progress (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), number bigint NOT NULL
    );
    INSERT INTO change_progress VALUES (true, 0);
    CREATE TABLE secret (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

    """

  /// Locks the claims in the order of the devices, so that two nodes cannot deadlock, and then compares them.
  ///
  /// The second statement sees everything that was committed before the locks were acquired.
  private static let checkClaims = """
    CREATE FUNCTION belfry_check_claims(own bigint, devices bigint[], numbers bigint[])
    RETURNS void LANGUAGE plpgsql AS $check$
    DECLARE lost text;
    BEGIN
      PERFORM 1 FROM claim c WHERE c.device = ANY (devices) ORDER BY c.device FOR SHARE;
      SELECT string_agg(held.device::text, ',') INTO lost
      FROM unnest(devices, numbers) AS held (device, number)
      WHERE NOT EXISTS (
        SELECT 1 FROM claim c
        WHERE c.device = held.device AND c.node = own AND c.number = held.number);
      IF lost IS NOT NULL THEN
        RAISE EXCEPTION '%', lost USING ERRCODE = '\(claimLostState)';
      END IF;
    END
    $check$;

    """

  /// Creates missing claims of the node 0, which does not exist; locks all claims; and then decides about each.
  ///
  /// No other transaction can see a claim of node 0, because the same transaction assigns the claim to its owner. A claim keeps its
  /// number if the node already owns it, because no other node has written for the device in the meantime. The modes are
  /// those of `PostgresClaims`.
  private static let claim = """
    CREATE FUNCTION belfry_claim(
      own bigint, devices bigint[], modes bigint[], links bigint[])
    RETURNS TABLE (claimed bigint, owner smallint, claim_number bigint, former_owner smallint,
      linked_elsewhere bigint)
    LANGUAGE plpgsql AS $claim$
    BEGIN
      INSERT INTO claim SELECT wanted.device, 0, 0, 0
      FROM unnest(devices, modes) AS wanted (device, mode)
      JOIN device d ON d.number = wanted.device
      WHERE wanted.mode <> 3 ORDER BY wanted.device
      ON CONFLICT DO NOTHING;
      PERFORM 1 FROM claim c WHERE c.device = ANY (devices)
      ORDER BY c.device FOR NO KEY UPDATE;
      RETURN QUERY WITH held AS (
        UPDATE claim c SET node = own, former = c.node,
          number = c.number + (c.node <> own)::int,
          link = CASE WHEN wanted.link <> 0 THEN own ELSE c.link END
        FROM unnest(devices, modes, links) AS wanted (device, mode, link)
        WHERE c.device = wanted.device AND CASE wanted.mode
          WHEN 1 THEN c.node IN (0, own)
            OR EXISTS (SELECT 1 FROM node n WHERE n.number = c.node AND n.ended)
          WHEN 2 THEN true
          ELSE c.link = own END
        RETURNING c.device, c.number, c.former, c.link)
      SELECT d.number, coalesce(c.node, 0::smallint), held.number,
        coalesce(held.former, 0::smallint),
        (held.link <> own AND EXISTS (
          SELECT 1 FROM node n WHERE n.number = held.link AND NOT n.ended))::int::bigint
      FROM device d LEFT JOIN claim c ON c.device = d.number
        LEFT JOIN held ON held.device = d.number
      WHERE d.number = ANY (devices);
    END
    $claim$;

    """

  /// Numbers the changes while the row with the last number is locked, so that the numbers are in commit order.
  ///
  /// The newest 100,000 changes are kept; older ones are removed once per 1,000 changes, 5,000 at a time.
  private static let recordChanges = """
    CREATE FUNCTION belfry_record_changes(kinds bigint[], subjects bytea[])
    RETURNS void LANGUAGE plpgsql AS $record$
    DECLARE
      count bigint := cardinality(kinds);
      last bigint;
    BEGIN
      UPDATE change_progress SET number = change_progress.number + count RETURNING number INTO last;
      INSERT INTO change SELECT last - count + recorded.position, recorded.kind, recorded.subject
      FROM unnest(kinds, subjects) WITH ORDINALITY AS recorded (kind, subject, position);
      IF last / 1000 > (last - count) / 1000 THEN
        DELETE FROM change WHERE number IN (
          SELECT c.number FROM change c WHERE c.number <= last - 100000
          ORDER BY c.number LIMIT 5000);
      END IF;
    END
    $record$;
    """
}
