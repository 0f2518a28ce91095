import CSystemd
import Glibc
public import System

/// The identity of this machine: a Belfry-specific value derived from the machine ID without revealing it
/// (machine-id(5)).
public enum MachineIdentity {
  /// Returns 16 bytes, or an empty array if the machine has no ID, as in some containers: `/etc/machine-id` is missing,
  /// empty, or not set yet.
  ///
  /// Throws if an ID exists but cannot be read: if the ID were treated as missing, the device would lose its identity.
  public static func current() throws(SystemFailure) -> [UInt8] {
    // Belfry's application ID, a random number like those that `systemd-id128 new` creates.
    var name = sd_id128_t()
    unsafe withUnsafeMutableBytes(of: &name) { bytes in
      unsafe bytes.copyBytes(from: [
        0x6B, 0x1F, 0x0C, 0x57, 0x3A, 0x9D, 0x4E, 0x27, 0xA4, 0x60, 0xD8, 0x15, 0xE9, 0x72, 0x33,
        0xC8,
      ])
    }
    var machine = sd_id128_t()
    let status = unsafe sd_id128_get_machine_app_specific(name, &machine)
    switch -status {
    case ...0: return unsafe withUnsafeBytes(of: machine) { unsafe Array($0) }
    case ENOENT, ENOMEDIUM, ENOPKG: return []
    default:
      throw .unusable(
        text: "/etc/machine-id",
        reason:
          "\(SystemFailure.message(-status)): restore the machine's own ID, or remove the file and "
          + "run systemd-machine-id-setup for a new one, which gives the device a new identity")
    }
  }
}
