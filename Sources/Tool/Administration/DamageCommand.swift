import Gateway
import System

/// `belfry damage`: shows the rows in a gateway's stores whose checksums are wrong.
enum DamageCommand {
  static let noun = AdministrationNoun(
    name: "damage",
    verbs: [
      AdministrationVerb(
        "damage", "list",
        "Lists damaged rows of the gateway's stores. They are set aside, and requests that might depend on them "
          + "get a 503 response.",
        columns: columns, listing: "damaged rows"
      ) { _ in .listDamage },
      AdministrationVerb(
        "damage", "forget",
        "Discards the damaged rows. Tokens and keys that depended on these rows are then unknown. If you have a "
          + "backup, restore it instead.",
        columns: columns
      ) { _ in .forgetDamage },
    ])

  private static let columns = ["store", "table", "keyIsKnown", "foundAt", "row"]
}
