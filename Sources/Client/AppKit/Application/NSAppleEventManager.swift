public import BelfryClient
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of Internet events, which deal with URLs.
public let kInternetEventClass: UInt32 = 0x4755_524C

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The ID of the event that opens a URL.
public let kAEGetURL: UInt32 = 0x4755_524C

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The keyword of the parameter that contains an event's direct object.
public let keyDirectObject: UInt32 = 0x2D2D_2D2D

/// The class of an event, as a number.
public typealias AEEventClass = UInt32

/// The ID of an event, as a number.
public typealias AEEventID = UInt32

/// The keyword of a parameter, as a number.
public typealias AEKeyword = UInt32

/// A value in an Apple event.
open class NSAppleEventDescriptor: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  private let parameters: [AEKeyword: NSAppleEventDescriptor]

  /// The value as a string.
  public let stringValue: String?

  /// Creates a descriptor that contains a string.
  public init(string: String) {
    stringValue = string
    parameters = [:]
  }

  init(parameters: [AEKeyword: NSAppleEventDescriptor]) {
    stringValue = nil
    self.parameters = parameters
  }

  /// Returns the parameter with the given keyword.
  open func paramDescriptor(forKeyword keyword: AEKeyword) -> NSAppleEventDescriptor? {
    parameters[keyword]
  }
}

/// A dispatcher that passes Apple events to an app's methods.
///
/// On this system, it handles only URLs that are passed when the app starts.
@preconcurrency @MainActor
open class NSAppleEventManager: NSObject {
  private static let only = NSAppleEventManager()

  private weak var target: AnyObject?
  private var selector: Selector?

  /// Returns the event manager of this app.
  open class func shared() -> NSAppleEventManager { only }

  /// Sets the method for the event that opens a URL; other events never occur.
  open func setEventHandler(
    _ handler: AnyObject, andSelector handleEventSelector: Selector,
    forEventClass eventClass: AEEventClass, andEventID eventID: AEEventID
  ) {
    guard eventClass == kInternetEventClass, eventID == kAEGetURL else { return }
    target = handler
    selector = handleEventSelector
  }

  /// Removes the method for the event that opens a URL.
  open func removeEventHandler(
    forEventClass eventClass: AEEventClass, andEventID eventID: AEEventID
  ) {
    guard eventClass == kInternetEventClass, eventID == kAEGetURL else { return }
    selector = nil
  }

  /// Passes a URL to the app's method.
  ///
  /// Returns false if the app has not set a method.
  func open(_ url: URL) -> Bool {
    guard let target, let selector, !url.isFileURL else { return false }
    selector(
      target,
      NSAppleEventDescriptor(
        parameters: [keyDirectObject: NSAppleEventDescriptor(string: url.absoluteString)]))
    return true
  }
}
