import Foundation
import Testing

@testable import UIKit

@Suite @MainActor struct ApplicationLifeTests {
  private final class App: UIResponder, UIApplicationDelegate {
    func application(
      _ application: UIApplication,
      configurationForConnecting connectingSceneSession: UISceneSession,
      options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
      let configuration = UISceneConfiguration(
        name: nil, sessionRole: connectingSceneSession.role)
      configuration.delegateClass = Scene.self
      return configuration
    }
  }

  private final class Scene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var calls: [String] = []

    func scene(
      _ scene: UIScene, willConnectTo session: UISceneSession,
      options connectionOptions: UIScene.ConnectionOptions
    ) { calls.append("connects") }
    func sceneWillEnterForeground(_ scene: UIScene) { calls.append("enters foreground") }
    func sceneDidBecomeActive(_ scene: UIScene) { calls.append("is active") }
    func sceneWillResignActive(_ scene: UIScene) { calls.append("is inactive") }
    func sceneDidEnterBackground(_ scene: UIScene) { calls.append("enters background") }
  }

  @Test
  func `the scene of an app launched in the background enters the foreground once`() throws {
    let application = UIApplication.shared
    let app = App()
    application.delegate = app
    defer {
      application.life.terminate()
      application.delegate = nil
      withExtendedLifetime(app) {}
    }
    application.life.begins(inBackground: true)
    application.life.launched(inBackground: true)
    #expect(application.connectedScenes.isEmpty)
    application.life.enterForeground()
    let scene = try #require(application.connectedScenes.first?.delegate as? Scene)
    let entry = ["enters foreground", "is active"]
    #expect(scene.calls == ["connects"] + entry)
    scene.calls = []
    application.life.enterBackground()
    application.life.enterForeground()
    #expect(scene.calls == ["is inactive", "enters background"] + entry)
  }
}
