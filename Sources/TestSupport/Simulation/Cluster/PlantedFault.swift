/// A rule that a part of a simulated cluster breaks on purpose, so that a test can show that the simulation notices.
public enum PlantedFault: String, CaseIterable, Sendable {
  /// A client reports a commit before the server's `ReadyForQuery`, and the connection is lost before the commit.
  case earlyAnswer = "early-answer"
  /// A client sends statements again that then write nothing (`DO NOTHING`), so that a former primary server can answer.
  case unwrittenRetry = "unwritten-retry"
  /// A claim reads the device before it waits for the lock of the claim.
  case loadBeforeClaim = "load-before-claim"
  /// A starting node reads the configuration before it reads the number of the last change.
  case loadBeforeFollow = "load-before-follow"
  /// The numbers of changes are allotted before the commit, so that a reader passes an open transaction.
  case numbersBeforeCommit = "numbers-before-commit"
}
