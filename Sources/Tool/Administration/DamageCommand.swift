import Gateway
import System

/// `belfry damage`: shows the rows in a gateway's stores whose checksums are wrong.
enum DamageCommand {
  static let noun = AdministrationNoun(
    name: "damage",
    verbs: [
      AdministrationVerb(
        "damage", "list",
        "Lists damaged rows in the gateway's stores. The gateway sets these rows aside, and "
          + "requests that might depend on them get a 503 response.",
        columns: columns, listing: "damaged rows"
      ) { _ in .listDamage },
      AdministrationVerb(
        "damage", "forget",
        "Discards the damaged rows. The gateway then no longer recognizes tokens and keys that "
          + "depended on these rows. If you have a backup, restore it instead.",
        columns: columns
      ) { _ in .forgetDamage },
    ])

  private static let columns = ["store", "table", "keyIsKnown", "foundAt", "row"]
}
