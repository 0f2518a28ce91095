/// The subscribers to a loop's delivery log; a subscriber is removed when its callback returns false.
struct DeliveryLogFollowers {
  private struct Member {
    let query: DeliveryLogQuery
    /// The query as a predicate; creating it once avoids opening the token again for each line.
    let matches: (DeliveryLog.Entry) -> Bool
    let follower: DeliveryLogFollower
  }

  private var members: [Member] = []

  mutating func add(
    _ follower: DeliveryLogFollower, of query: DeliveryLogQuery, _ tokens: DeviceTokenCodec
  ) {
    members.append(Member(query: query, matches: query.matcher(tokens), follower: follower))
  }

  mutating func tell(
    _ entry: DeliveryLog.Entry, line: (DeliveryLog.Entry) -> DeliveryLogLine
  ) {
    tell({ $0.matches(entry) }) { line(entry) }
  }

  mutating func tell(
    _ entry: RefusedPushes.Entry, line: (RefusedPushes.Entry) -> DeliveryLogLine
  ) {
    tell({ $0.query.matches(entry) }) { line(entry) }
  }

  mutating func tell(_ entry: RelayedPushes.Entry) {
    tell({ $0.query.matches(entry) }) { entry.line }
  }

  private mutating func tell(_ matches: (Member) -> Bool, _ line: () -> DeliveryLogLine) {
    guard !members.isEmpty else { return }
    members.removeAll { matches($0) && !$0.follower.receive([line()]) }
  }
}
