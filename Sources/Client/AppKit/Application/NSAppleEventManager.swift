public import BelfryClient
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of events about addresses.
public let kInternetEventClass: UInt32 = 0x4755_524C

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The event that opens an address.
public let kAEGetURL: UInt32 = 0x4755_524C

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The parameter with an event's object.
public let keyDirectObject: UInt32 = 0x2D2D_2D2D

/// A type of event or its class, as a number.
public typealias AEEventClass = UInt32

/// The identifier of an event, as a number.
public typealias AEEventID = UInt32

/// The keyword of a parameter, as a number.
public typealias AEKeyword = UInt32

/// A value of an event.
open class NSAppleEventDescriptor: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  private let parameters: [AEKeyword: NSAppleEventDescriptor]

  /// The value as text.
  public let stringValue: String?

  /// A value that is a text.
  public init(string: String) {
    stringValue = string
    parameters = [:]
  }

  init(parameters: [AEKeyword: NSAppleEventDescriptor]) {
    stringValue = nil
    self.parameters = parameters
  }

  /// The parameter with a keyword.
  open func paramDescriptor(forKeyword keyword: AEKeyword) -> NSAppleEventDescriptor? {
    parameters[keyword]
  }
}

/// Calls the app's methods for events; on this system for addresses that the app is started with.
@preconcurrency @MainActor
open class NSAppleEventManager: NSObject {
  private static let only = NSAppleEventManager()

  private weak var target: AnyObject?
  private var selector: Selector?

  /// The manager of this app.
  open class func shared() -> NSAppleEventManager { only }

  /// Sets the method for the event that opens an address; other events do not come.
  open func setEventHandler(
    _ handler: AnyObject, andSelector handleEventSelector: Selector,
    forEventClass eventClass: AEEventClass, andEventID eventID: AEEventID
  ) {
    guard eventClass == kInternetEventClass, eventID == kAEGetURL else { return }
    target = handler
    selector = handleEventSelector
  }

  /// Removes the method for the event that opens an address.
  open func removeEventHandler(
    forEventClass eventClass: AEEventClass, andEventID eventID: AEEventID
  ) {
    guard eventClass == kInternetEventClass, eventID == kAEGetURL else { return }
    selector = nil
  }

  /// Hands an address to the app's method; returns false if the app has no such method.
  func open(_ url: URL) -> Bool {
    guard let target, let selector, !url.isFileURL else { return false }
    selector(
      target,
      NSAppleEventDescriptor(
        parameters: [keyDirectObject: NSAppleEventDescriptor(string: url.absoluteString)]))
    return true
  }
}
