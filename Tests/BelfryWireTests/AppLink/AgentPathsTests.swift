import AppWire
import Testing

@Suite("Where the agent is")
struct AgentPathsTests {
  func socket(_ environment: [String: String], runtimeFolder: Bool = false) -> String {
    AgentPaths.socket({ environment[$0] }, userID: 7) { runtimeFolder && $0 == "/run/user/7" }
  }

  @Test
  func `the socket follows BELFRY_SOCKET, XDG_RUNTIME_DIR, the usual folder, the data folder`() {
    #expect(socket(["BELFRY_SOCKET": "x.sock", "XDG_RUNTIME_DIR": "/r"]) == "x.sock")
    #expect(socket(["XDG_RUNTIME_DIR": "/r"], runtimeFolder: true) == "/r/belfry/agent.sock")
    #expect(socket(["HOME": "/h"], runtimeFolder: true) == "/run/user/7/belfry/agent.sock")
    #expect(
      socket(["HOME": "/h"]) == "/h/.local/state/belfry/agent/belfry/agent.sock")
    #expect(
      socket(["XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "relative"])
        == "/s/belfry/agent/belfry/agent.sock")
  }

  @Test
  func `the data folder follows XDG_STATE_HOME, else the home`() {
    #expect(AgentPaths.dataFolder { ["XDG_STATE_HOME": "/s"][$0] } == "/s/belfry/agent")
    #expect(AgentPaths.dataFolder { ["HOME": "/h"][$0] } == "/h/.local/state/belfry/agent")
  }
}
