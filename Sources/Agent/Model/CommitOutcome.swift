/// The outcome of writing the changes that a turn made to the records.
enum CommitOutcome {
  /// The changes and all earlier changes are durable.
  case durable
  /// The turn had no changes; earlier changes wait for the disk.
  case unchanged
  /// The disk rejected the changes.
  case refused
}
