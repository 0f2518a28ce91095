/// The outcome of writing a turn's changes of the records.
enum CommitOutcome {
  /// The changes and all earlier changes are durable.
  case durable
  /// The turn had no changes; earlier changes wait for the disk.
  case unchanged
  /// The disk rejected the changes.
  case refused
}
