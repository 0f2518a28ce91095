/// The background modes of a manifest (`UIBackgroundModes`).
public enum BackgroundModes {
  /// Returns true if an app with these modes has unlimited time in the background.
  ///
  /// These are apps that play audio, track the location or wait for calls (S3-33).
  public static func giveUnlimitedTime(_ modes: some Sequence<String>) -> Bool {
    modes.contains { ["audio", "location", "voip"].contains($0) }
  }
}
