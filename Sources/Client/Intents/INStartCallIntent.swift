import BelfryClient
public import Foundation
public import UserNotifications

/// How a call is heard.
public enum INCallAudioRoute: Int, Sendable {
  /// Unknown.
  case unknown = 0
  /// By the loudspeaker.
  case speakerphoneAudioRoute = 1
  /// By a wireless device.
  case bluetoothAudioRoute = 2
}

/// Where a call goes.
public enum INCallDestinationType: Int, Sendable {
  /// Unknown.
  case unknown = 0
  /// To a person.
  case normal = 1
  /// To the emergency service.
  case emergency = 2
  /// To the voice mail.
  case voicemail = 3
  /// To the last number.
  case redial = 4
  /// To the last caller.
  case callBack = 5
}

/// The capabilities of a call.
public enum INCallCapability: Int, Sendable {
  /// Unknown.
  case unknown = 0
  /// Sound.
  case audioCall = 1
  /// Pictures too.
  case videoCall = 2
}

/// Which calls of a list are meant.
open class INCallRecordFilter: NSObject, @unchecked Sendable {}

/// A call of a list.
open class INCallRecord: NSObject, @unchecked Sendable {}

/// A request to start a call; a notification can be updated from it.
open class INStartCallIntent: INIntent, UNNotificationContentProviding, @unchecked Sendable {
  /// Which calls of a list are meant.
  public let callRecordFilter: INCallRecordFilter?

  /// The call that is returned.
  public let callRecordToCallBack: INCallRecord?

  /// How the call is heard.
  public let audioRoute: INCallAudioRoute

  /// Where the call goes.
  public let destinationType: INCallDestinationType

  /// The other side.
  public let contacts: [INPerson]?

  /// The capabilities of the call.
  public let callCapability: INCallCapability

  /// Creates an intent for a call.
  public init(
    callRecordFilter: INCallRecordFilter?, callRecordToCallBack: INCallRecord?,
    audioRoute: INCallAudioRoute, destinationType: INCallDestinationType, contacts: [INPerson]?,
    callCapability: INCallCapability
  ) {
    self.callRecordFilter = callRecordFilter
    self.callRecordToCallBack = callRecordToCallBack
    self.audioRoute = audioRoute
    self.destinationType = destinationType
    self.contacts = contacts
    self.callCapability = callCapability
  }
}

extension INStartCallIntent: ContentProviding {
  /// Sets the title to the names of the other side.
  package func provide(_ fields: inout ContentFields) throws {
    let names = (contacts ?? []).map(\.displayName).filter { !$0.isEmpty }
    guard !names.isEmpty else { throw UNError.because(.contentProvidingInvalid) }
    fields.title = names.joined(separator: ", ")
  }
}

/// A request to start a call without pictures.
@available(iOS, deprecated: 13.0, message: "Use INStartCallIntent")
open class INStartAudioCallIntent: INIntent, @unchecked Sendable {
  /// Where the call goes.
  public let destinationType: INCallDestinationType

  /// The other side.
  public let contacts: [INPerson]?

  /// Creates an intent for a call.
  public init(destinationType: INCallDestinationType, contacts: [INPerson]?) {
    self.destinationType = destinationType
    self.contacts = contacts
  }
}

/// A request to start a call with pictures.
@available(iOS, deprecated: 13.0, message: "Use INStartCallIntent")
open class INStartVideoCallIntent: INIntent, @unchecked Sendable {
  /// The other side.
  public let contacts: [INPerson]?

  /// Creates an intent for a call.
  public init(contacts: [INPerson]?) { self.contacts = contacts }
}
