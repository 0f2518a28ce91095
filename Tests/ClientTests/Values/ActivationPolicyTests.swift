import Foundation
import Testing

@testable import AppKit

/// Tests of when a Mac app without an icon in the Dock counts as being in the foreground.
@MainActor @Suite struct ActivationPolicyTests {
  private func window(_ style: NSWindow.StyleMask) -> NSWindow {
    NSWindow(contentRect: .zero, styleMask: style, backing: .buffered, defer: false)
  }

  @Test func `An accessory app is in front only while it has a key window`() {
    let application = NSApplication.shared
    application.isLaunched = true
    defer {
      application.deactivate()
      application.setActivationPolicy(.regular)
      application.isLaunched = false
    }
    application.activate()
    #expect(application.isActive)
    application.setActivationPolicy(.accessory)
    #expect(!application.isActive)
    application.activate()
    #expect(!application.isActive)

    let settings = window([.titled, .closable])
    settings.makeKeyAndOrderFront(nil)
    #expect(settings.isKeyWindow && application.isActive)
    // A window above all others, such as a full-screen reminder, receives no input.
    let overlay = window(.borderless)
    overlay.makeKeyAndOrderFront(nil)
    #expect(settings.isKeyWindow)
    settings.close()
    #expect(application.keyWindow == nil && !application.isActive)
    overlay.close()

    // The agent's information about the desktop takes precedence.
    application.becomeActive(isKnown: true)
    #expect(application.isActive)
  }

  @Test(arguments: [
    (["LSUIElement": true] as [String: any Sendable], NSApplication.ActivationPolicy.accessory),
    (["LSUIElement": "1"], .accessory), (["LSUIElement": 1], .accessory),
    (["LSBackgroundOnly": true], .prohibited), (["LSUIElement": false], .regular), ([:], .regular),
  ])
  func `The manifest declares the policy`(
    manifest: [String: any Sendable], policy: NSApplication.ActivationPolicy
  ) { #expect(NSApplication.ActivationPolicy.declared(by: manifest) == policy) }
}
