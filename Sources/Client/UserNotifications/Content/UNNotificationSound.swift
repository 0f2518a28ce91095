public import Foundation

/// The sound of a delivered notification.
open class UNNotificationSound: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the only stored property is a constant.
  package let choice: SoundChoice

  package init(_ choice: SoundChoice) {
    self.choice = choice
    super.init()
  }

  /// The default sound: a sound from the desktop's sound theme or, without one, a chime that the agent plays.
  open class var `default`: UNNotificationSound { UNNotificationSound(SoundChoice()) }

  /// The system's ringtone for incoming calls; the default sound if the system has no ringtone.
  open class var defaultRingtone: UNNotificationSound {
    UNNotificationSound(SoundChoice(isRingtone: true))
  }

  /// The system's sound for critical alerts; requires the critical-alerts entitlement.
  open class var defaultCritical: UNNotificationSound {
    UNNotificationSound(SoundChoice(isCritical: true))
  }

  /// Returns the system's sound for critical alerts at a volume from 0 to 1.
  open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(isCritical: true, volume: volume))
  }

  /// Creates a sound from one of the app's files.
  ///
  /// The file must be an AIFF, WAV, or CAF file that contains up to 30 s of linear PCM, IMA4, µLaw, or aLaw audio. For
  /// any other file, the default sound is played.
  public convenience init(named name: UNNotificationSoundName) {
    self.init(SoundChoice(name: name.rawValue))
  }

  /// Returns a sound that plays one of the app's files as a ringtone for incoming calls.
  open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isRingtone: true))
  }

  /// Returns a sound that plays one of the app's files for a critical alert; requires the critical-alerts entitlement.
  open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isCritical: true))
  }

  /// Returns a sound that plays one of the app's files for a critical alert at a volume from 0 to 1.
  open class func criticalSoundNamed(
    _ name: UNNotificationSoundName, withAudioVolume volume: Float
  ) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isCritical: true, volume: volume))
  }

  /// A description of the sound's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("name", choice.name),
        ("critical", choice.isCritical),
        ("ringtone", choice.isRingtone),
      ])
  }

  /// Returns whether the other sound has the same name, kind, and volume.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationSound)?.choice == choice
  }

  /// The hash value of the sound's name, kind, and volume.
  open override var hash: Int { choice.hashValue }

  /// Returns the same object, because sounds are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a sound from an archive.
  public required init?(coder: NSCoder) {
    choice = SoundChoice(
      name: coder.decodeObject(of: NSString.self, forKey: "name") as String?,
      isRingtone: coder.decodeBool(forKey: "isRingtone"),
      isCritical: coder.decodeBool(forKey: "isCritical"),
      volume: coder.containsValue(forKey: "volume") ? coder.decodeFloat(forKey: "volume") : nil)
    super.init()
  }

  /// Writes the sound to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(choice.name as NSString?, forKey: "name")
    coder.encode(choice.isRingtone, forKey: "isRingtone")
    coder.encode(choice.isCritical, forKey: "isCritical")
    if let volume = choice.volume { coder.encode(volume, forKey: "volume") }
  }
}

/// A sound, which is a named file or a system sound, and the way to play it.
package struct SoundChoice: Hashable, Sendable {
  package var name: String?
  package var isRingtone = false
  package var isCritical = false
  /// The volume of a critical sound, from 0 to 1.
  package var volume: Float?

  package init(
    name: String? = nil, isRingtone: Bool = false, isCritical: Bool = false, volume: Float? = nil
  ) {
    self.name = name
    self.isRingtone = isRingtone
    self.isCritical = isCritical
    self.volume = volume.map { min(1, max(0, $0)) }
  }
}
