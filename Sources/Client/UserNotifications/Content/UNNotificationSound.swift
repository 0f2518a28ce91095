public import Foundation

/// The sound of a delivered notification.
open class UNNotificationSound: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the only stored property is a constant.
  package let choice: SoundChoice

  package init(_ choice: SoundChoice) {
    self.choice = choice
    super.init()
  }

  /// The system's sound.
  open class var `default`: UNNotificationSound { UNNotificationSound(SoundChoice()) }

  /// The system's ring tone for incoming calls; the default sound where there is none.
  open class var defaultRingtone: UNNotificationSound {
    UNNotificationSound(SoundChoice(isRingtone: true))
  }

  /// The system's sound for critical alerts; needs the critical-alerts entitlement.
  open class var defaultCritical: UNNotificationSound {
    UNNotificationSound(SoundChoice(isCritical: true))
  }

  /// The system's sound for critical alerts at a volume from 0 to 1.
  open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(isCritical: true, volume: volume))
  }

  /// A sound file of the app: up to 30 s of linear PCM, IMA4, µLaw or aLaw in an aiff, wav or caf
  /// file; the default sound is played in place of any other.
  public convenience init(named name: UNNotificationSoundName) {
    self.init(SoundChoice(name: name.rawValue))
  }

  /// A sound file as a ring tone for incoming calls.
  open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isRingtone: true))
  }

  /// A sound file for critical alerts; needs the critical-alerts entitlement.
  open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isCritical: true))
  }

  /// A sound file for critical alerts at a volume from 0 to 1.
  open class func criticalSoundNamed(
    _ name: UNNotificationSoundName, withAudioVolume volume: Float
  ) -> UNNotificationSound {
    UNNotificationSound(SoundChoice(name: name.rawValue, isCritical: true, volume: volume))
  }

  /// The sound's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("name", choice.name),
        ("critical", choice.isCritical),
        ("ringtone", choice.isRingtone),
      ])
  }

  /// Whether the other sound is the same.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationSound)?.choice == choice
  }

  /// The hash of the sound.
  open override var hash: Int { choice.hashValue }

  /// Returns the sound itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Sounds can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived sound.
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

/// Which sound: a file's name or the system's own, and how it is played.
package struct SoundChoice: Hashable, Sendable {
  package var name: String?
  package var isRingtone = false
  package var isCritical = false
  /// 0 to 1, of a critical sound.
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
