import Storage
import System

/// Changes that other nodes of a cluster have written.
extension ControlPlane {
  /// Reads the changed data from the store, and sends it to the loops; nil means that all data may have changed.
  ///
  /// Returns false if the store can't be read. The changes must then be handled again.
  func follow(_ subjects: [ClusterChange.Subject]?) -> Bool {
    guard let subjects else { return followAll() }
    var channelIDs: Set<[UInt8]> = []
    var isDirectoryOld = false
    var isComplete = true
    for subject in subjects {
      switch subject {
      case .directory: isDirectoryOld = true
      case .channel(let id): channelIDs.insert(id)
      case .device(let number): isComplete = followRevocation(of: number) && isComplete
      case .setting(let name):
        if name == ControlSetting.enrollmentCode { resetEnrollmentRate() }
      }
    }
    if isDirectoryOld { isComplete = publishDirectory() && isComplete }
    if isDirectoryOld || !channelIDs.isEmpty { isComplete = channels.refresh() && isComplete }
    return isComplete
  }

  private func followAll() -> Bool {
    resetEnrollmentRate()
    do throws(StorageFailure) {
      for device in try store.devices() where device.revokedMilliseconds != nil {
        _ = followRevocation(of: device.number)
      }
    } catch {
      log.storeFailure("cannot read the devices", error)
      return false
    }
    let isPublished = publishDirectory()
    return channels.refresh() && isPublished
  }

  private func followRevocation(of number: UInt64) -> Bool {
    do throws(StorageFailure) {
      guard let revoked = try store.device(number: number)?.revokedMilliseconds else { return true }
      send(
        .revokedElsewhere(device: number, atMilliseconds: revoked), to: homes.home(of: number))
      return true
    } catch {
      log.storeFailure("cannot read a revoked device", error)
      return false
    }
  }
}
