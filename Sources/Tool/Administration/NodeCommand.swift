import BelfryWire
import Gateway
import Glibc
import System

/// `belfry node`: lists and drains the nodes of a cluster.
enum NodeCommand {
  static let noun = AdministrationNoun(
    name: "node",
    verbs: [
      AdministrationVerb(
        "node", "list",
        "Lists the nodes of a cluster. The number of devices is the number that were connected when the node was last "
          + "seen. Ask any running node.",
        columns: ["node", "up", "lastSeenAt", "devices", "version"], listing: "nodes",
        shown: { node in
          var node = node
          node["lastSeenAt"] = node["lastSeen"]
          return node
        }
      ) { _ in .listNodes },
      AdministrationVerb(
        "node", "drain",
        "Makes a node finish its work and stop. Its devices reconnect to other nodes within a few seconds.",
        positionals: "NAME", positionalCount: 1...1,
        options: [
          .flag(
            "force",
            "drain the node even if no other node is running; without a terminal, this is the default"
          )
        ], columns: []
      ) { options in
        // Refuse only on a terminal, so that existing scripts keep working.
        let isForced = options.has("force") || isatty(STDIN_FILENO) != 1
        return .drainNode(name: options.positionals[0], isForced: isForced)
      },
    ])
}
