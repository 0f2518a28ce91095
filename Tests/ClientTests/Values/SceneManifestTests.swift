import Foundation
import Testing

@testable import UIKit

/// A scene delegate that the tests find by its name.
final class NamedSceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
}

@Suite struct SceneManifestTests {
  private static let module = String(
    String(reflecting: NamedSceneDelegate.self).prefix { $0 != "." })

  /// Returns the delegate class of the scene that a manifest with this class name describes.
  private func find(
    _ className: String, named name: String? = nil
  ) throws(SceneManifest.Failure) -> NSObject.Type? {
    let role = UISceneSession.Role.windowApplication
    let configuration = [
      "UISceneConfigurationName": "Default Configuration", "UISceneDelegateClassName": className,
    ]
    return try SceneManifest.delegateClass(
      named: name, role: role, module: Self.module,
      in: ["UISceneConfigurations": [role.rawValue: [configuration]]])
  }

  @Test(arguments: [
    "$(PRODUCT_MODULE_NAME).NamedSceneDelegate", "${PRODUCT_MODULE_NAME}.NamedSceneDelegate",
    "NamedSceneDelegate",
  ])
  func `The delegate's class is found by the name that Xcode writes`(className: String) throws {
    for name in [nil, "Default Configuration"] {
      let found = try #require(try find(className, named: name))
      #expect(ObjectIdentifier(found) == ObjectIdentifier(NamedSceneDelegate.self))
    }
  }

  @Test func `A class that does not exist is named`() {
    let failure = #expect(throws: SceneManifest.Failure.self) {
      try find("$(PRODUCT_MODULE_NAME).Missing")
    }
    #expect(failure?.message.contains("no class '\(Self.module).Missing'") == true)
  }

  @Test func `A scene without a class needs a manifest, and an app without a scene needs none`()
    throws
  {
    let failure = #expect(throws: SceneManifest.Failure.self) {
      try find("NamedSceneDelegate", named: "Other")
    }
    #expect(failure?.message.hasPrefix("the scene 'Other' is not connected, because") == true)
    let found = try SceneManifest.delegateClass(
      named: nil, role: .windowApplication, module: Self.module, in: nil)
    #expect(found == nil)
  }
}
