import Gateway
import System

/// `belfry damage`: shows rows of a gateway's stores that failed their checksum.
enum DamageCommand {
  static let noun = AdministrationNoun(
    name: "damage",
    verbs: [
      AdministrationVerb(
        "damage", "list",
        "Lists rows of the gateway's stores that are not what was written: they are set aside, and what may "
          + "depend on them is answered 503.",
        columns: columns, listing: "damaged rows"
      ) { _ in .listDamage },
      AdministrationVerb(
        "damage", "forget",
        "Forgets the rows that are set aside: what depended on them is unknown from then on. Restore a backup "
          + "instead where there is one.",
        columns: columns
      ) { _ in .forgetDamage },
    ])

  private static let columns = ["store", "table", "keyIsKnown", "foundAt", "row"]
}
