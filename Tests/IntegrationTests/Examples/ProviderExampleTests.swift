import Foundation
import TestSupport
import Testing

/// Tests of apps that send their token to their own server and fetch data from the server, and of pushes in the user's
/// language.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProviderExamples {
  /// A server that prints each request and its body, and whose answer contains the special of the day.
  private static let server = """
    import http.server
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            print("asked " + self.path, flush=True)
            self.send_response(200); self.end_headers(); self.wfile.write(b"fresh fish")
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            print("given " + self.headers["Content-Type"] + " " + body.hex(), flush=True)
            self.send_response(204); self.end_headers()
        def log_message(self, *_): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print("port %d" % server.server_port, flush=True)
    server.serve_forever()
    """

  private func server(_ scenario: Scenario) async throws -> (
    program: RunningProgram, address: String
  ) {
    let server = try scenario.start(["/usr/bin/env", "python3", "-c", Self.server], name: "server")
    let port = try await server.text("port ").dropFirst(5)
    return (server, "http://127.0.0.1:\(port)")
  }

  @Test
  func `The token goes to the provider as the bytes that it is`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (server, address) = try await server(scenario)
      let id = "org.example.TokenCourier"
      let app = try await scenario.example(
        "TokenCourier", on: agent, arguments: ["--binary"], environment: ["TOKEN_SERVER": address])
      // S1-13 part 1 of 3: the types are registered first
      #expect(await app.nextText("types") == "types 7")
      let given = try await server.text("given application/octet-stream ").dropFirst(31)
      let token = try await scenario.tell(agent, "app", "token", id).output
      // S0-24, S0-31
      // S1-13 part 2 of 3: the app gets the token and sends it to the server
      #expect(token.count == 64 && String(given) == token)
      #expect(await app.nextText("delivered") == "delivered 204")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(#"{"aps":{"alert":"hi"}}"#, to: String(given), topic: id, of: gateway)
      #expect(await agent.nextPresented(id)["body"].string == "hi")
    }
  }

  @Test
  func `Without a gateway, the app gets an error instead of a token`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("TokenCourier", on: agent)
      // S1-13 part 3 of 3: the error callback
      #expect(await app.nextText("no token: ")?.contains("gateway") == true)
    }
  }

  @Test
  func `The token in hexadecimal is an item of the address that the server is asked`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (server, address) = try await server(scenario)
      let id = "org.example.RestaurantAlert"
      let app = try await scenario.example(
        "RestaurantAlert", on: agent, environment: ["REGISTRY": address + "/register"])
      let token = try await scenario.token(of: app)
      // S2-7
      #expect(await server.nextText("asked ") == "asked /register?deviceToken=\(token)")
      #expect(try await app.text("registry") == "registry 200")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(#"{"aps":{"alert":"hi"}}"#, to: token, topic: id, of: gateway)
      #expect(await agent.nextPresented(id)["body"].string == "hi")
    }
  }

  @Test
  func `Right after it was launched the app fetches what waits at its provider`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (server, address) = try await server(scenario)
      let id = "org.example.menu"
      let folder = try await scenario.bundle(
        "MenuUpdate", id: id, manifest: ["UIBackgroundModes": ["remote-notification"]])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/MenuUpdate"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"content-available":1},"menu":"\#(address)/menu"}"#, to: token, topic: id,
        of: gateway, options: ["--type", "background"])
      // S0-47, S2-16
      #expect(await server.nextText("asked ") == "asked /menu")
      #expect(await agent.program.hasError("menu fresh fish"))
    }
  }

  @Test
  func `A provider writes in the language that the app named, or in the most common one`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (server, address) = try await server(scenario)
      let id = "org.example.TokenCourier"
      let provider = try scenario.start(
        [try await Examples.executable("LanguageProvider"), gateway.file, id], name: "provider")
      for (language, text) in [
        ("fr-CA", "Burger avocat et bacon aujourd'hui"), ("fi", "Avocado bacon burger today"),
      ] {
        try await scenario.tell(agent, "settings", "--languages", language)
        let app = try await scenario.example(
          "TokenCourier", on: agent, environment: ["TOKEN_SERVER": address])
        let asked = try await server.text("asked ")
        let items = URLComponents(string: String(asked.dropFirst(6)))?.queryItems ?? []
        let named = items.first { $0.name == "language" }?.value
        // S0-53
        // S0-54 in part: in a file that does not import Foundation
        // S1-75 in part: in a file that does not import Foundation
        #expect(named == language)
        let token = try #require(items.first { $0.name == "token" }?.value)
        try await scenario.tell(agent, "state", "front=none")
        provider.tell("\(token) \(named ?? "")")
        // S0-56
        // S1-75 in part: English, if the provider has no text in the language
        #expect(await agent.nextPresented(id)["body"].string == text)
        try await app.stop()
      }
    }
  }
}
