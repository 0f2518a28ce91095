import AppWire
import Testing

@testable import Agent

/// Tests of the messages about registrations that cannot succeed now.
@Suite struct RegistrationMessageTests {
  @Test func `an app that registers offline gets the reason and the advice`() {
    let bench = ModelBench(isLinkUp: false)
    let problem = "no link to the gateway at localhost:5223 (not connected): check that it runs"
    bench.handle(.linkFailed(problem: problem))
    bench.handle(.linkChanged(isUp: false))
    let (connection, _) = bench.connect()
    let told = bench.ask(connection, .register(.alert)).told
    #expect(
      told == [.registrationFailed(.alert, AppLinkFailure(.gatewayUnreachable, problem))])
  }

  @Test func `an app's missing token has its own advice in the command that prints the token`() {
    let bench = ModelBench(isLinkUp: false)
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    #expect(
      bench.command(.token(app: ModelBench.burger.text, kind: .alert)).refusalMessages == [
        "org.example.burger has registered, but has no token yet: check the gateway with 'belfry doctor'"
      ])
  }

  @Test func `an app is greeted as registered only once it has its token`() throws {
    let bench = ModelBench(isLinkUp: false)
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    let waiting = try #require(bench.connect().1.answers.first).welcome()
    #expect(!waiting.isRegistered)
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1]))
    let registered = try #require(bench.connect().1.answers.first).welcome()
    #expect(registered.isRegistered)
  }

  @Test func `with --gateway none, registering and going online name this option`() {
    let bench = ModelBench(hasGateway: false, isLinkUp: false, isGatewayOff: true)
    let message = "the agent was started with --gateway none: start it without this option"
    let (connection, _) = bench.connect()
    let told = bench.ask(connection, .register(.alert)).told
    #expect(told == [.registrationFailed(.alert, AppLinkFailure(.noGateway, message))])
    #expect(bench.command(.moveLink(isOnline: true)).refusalMessages == [message])
  }
}
