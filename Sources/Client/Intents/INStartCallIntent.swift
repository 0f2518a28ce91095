import BelfryClient
public import Foundation
public import UserNotifications

/// The audio routes of a call.
public enum INCallAudioRoute: Int, Sendable {
  /// The audio route is unknown.
  case unknown = 0
  /// The speaker of the device.
  case speakerphoneAudioRoute = 1
  /// An audio device that is connected by Bluetooth.
  case bluetoothAudioRoute = 2
}

/// The types of a call's destination.
public enum INCallDestinationType: Int, Sendable {
  /// The type of destination is unknown.
  case unknown = 0
  /// A contact or number.
  case normal = 1
  /// A call to emergency services.
  case emergency = 2
  /// The user's voicemail box.
  case voicemail = 3
  /// The most recently called number.
  case redial = 4
  /// The most recent caller.
  case callBack = 5
}

/// The capabilities of a call.
public enum INCallCapability: Int, Sendable {
  /// The capability is unknown.
  case unknown = 0
  /// A call with audio.
  case audioCall = 1
  /// A call with audio and video.
  case videoCall = 2
}

/// A filter for call records.
open class INCallRecordFilter: NSObject, @unchecked Sendable {}

/// The record of a call.
open class INCallRecord: NSObject, @unchecked Sendable {}

/// A request to start a call, which can update the content of a notification.
open class INStartCallIntent: INIntent, UNNotificationContentProviding, @unchecked Sendable {
  /// The filter for call records.
  public let callRecordFilter: INCallRecordFilter?

  /// The record of the call that the user wants to return.
  public let callRecordToCallBack: INCallRecord?

  /// The audio route of the call.
  public let audioRoute: INCallAudioRoute

  /// The destination of the call.
  public let destinationType: INCallDestinationType

  /// The contacts to call.
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
  /// Sets the title to the names of the contacts.
  ///
  /// - Throws: `UNError` if no contact has a name.
  package func provide(_ fields: inout ContentFields) throws {
    let names = (contacts ?? []).map(\.displayName).filter { !$0.isEmpty }
    guard !names.isEmpty else { throw UNError.because(.contentProvidingInvalid) }
    fields.title = names.joined(separator: ", ")
  }
}

/// A request to start an audio call.
@available(iOS, deprecated: 13.0, message: "Use INStartCallIntent")
open class INStartAudioCallIntent: INIntent, @unchecked Sendable {
  /// The destination of the call.
  public let destinationType: INCallDestinationType

  /// The contacts to call.
  public let contacts: [INPerson]?

  /// Creates an intent for a call.
  public init(destinationType: INCallDestinationType, contacts: [INPerson]?) {
    self.destinationType = destinationType
    self.contacts = contacts
  }
}

/// A request to start a video call.
@available(iOS, deprecated: 13.0, message: "Use INStartCallIntent")
open class INStartVideoCallIntent: INIntent, @unchecked Sendable {
  /// The contacts to call.
  public let contacts: [INPerson]?

  /// Creates an intent for a call.
  public init(contacts: [INPerson]?) { self.contacts = contacts }
}
