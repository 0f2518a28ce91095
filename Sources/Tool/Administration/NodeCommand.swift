import BelfryWire
import Gateway
import System

/// `belfry node`: lists and drains the nodes of a cluster.
enum NodeCommand {
  static let noun = AdministrationNoun(
    name: "node",
    verbs: [
      AdministrationVerb(
        "node", "list",
        "Lists the nodes of a cluster, with their connected devices. Ask any running node.",
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
        positionals: "NAME", positionalCount: 1...1, columns: []
      ) { .drainNode(name: $0.positionals[0]) },
    ])
}
