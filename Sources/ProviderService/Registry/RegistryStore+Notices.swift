public import Storage

extension RegistryStore {
  /// The notices for the operator about rows that failed their checksum, one sentence each.
  public var notices: [String] {
    damage.summary.map {
      [
        "registry.sqlite had damaged rows, which were set aside (\($0)): their devices get no campaigns, and campaigns "
          + "that lack rows are paused; see the table set_aside"
      ]
    } ?? []
  }

  /// Returns true if rows of a campaign might be missing, in which case the campaign could send pushes twice or not at
  /// all.
  func lacksRows(of campaign: String) -> Bool {
    damage.mayHave(part: campaign, in: ["campaign", "leg", "batch", "recipient"])
  }
}
