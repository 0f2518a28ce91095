import CSystemd

/// Which machine this is: a name of Belfry's own for it, made of the machine's id, which it does
/// not show (machine-id(5)).
enum MachineIdentity {
  /// nil where the machine has no id, as in some containers.
  static var current: String? {
    // Belfry's own number, from `systemd-id128 new`'s kind of randomness.
    var name = sd_id128_t()
    unsafe withUnsafeMutableBytes(of: &name) { bytes in
      unsafe bytes.copyBytes(from: [
        0x6B, 0x1F, 0x0C, 0x57, 0x3A, 0x9D, 0x4E, 0x27, 0xA4, 0x60, 0xD8, 0x15, 0xE9, 0x72, 0x33,
        0xC8,
      ])
    }
    var machine = sd_id128_t()
    guard unsafe sd_id128_get_machine_app_specific(name, &machine) >= 0 else { return nil }
    return unsafe withUnsafeBytes(of: machine) { unsafe hexadecimal(Array($0)) }
  }
}
