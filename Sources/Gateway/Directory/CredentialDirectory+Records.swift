import BelfryWire
import Storage
import Transport

extension ProviderVerificationKey {
  convenience init(
    _ record: KeyRecord, publicKey: ES256PublicKey, budget: SenderBudget? = nil
  ) {
    self.init(
      id: record.id, teamID: record.team, publicKey: publicKey,
      environments: Set(
        BelfryWire.Environment.allCases.filter { record.environments.contains($0) }),
      bundleIDs: record.topics.isEmpty ? nil : Set(record.topics.map { Array($0.utf8) }),
      relatedKeyID: record.relatedKey, budget: budget)
  }
}

extension App {
  convenience init(_ record: AppRecord, teamRate: SharedRate?, relay: AppRelay? = nil) {
    self.init(
      number: record.number, bundleID: Array(record.bundleID.utf8), teamID: record.team,
      keep: record.keep, hasBroadcast: record.hasBroadcast, teamRate: teamRate, relay: relay)
  }
}
