import Foundation
import System

extension LinuxMachine {
  func makeReceiver(
    _ gateway: AgentConfiguration.Gateway
  ) throws(DeviceIdentityFolder.Failure) -> PushReceiver {
    let machine: [UInt8]
    let received: ReceivedFile?
    do throws(SystemFailure) {
      machine = try MachineIdentity.current()
      received = try configuration.receivedFile.map { path throws(SystemFailure) in
        try ReceivedFile(path)
      }
    } catch {
      throw .file(error)
    }
    return try PushReceiver(
      gateway,
      identities: DeviceIdentityFolder(
        LinuxMachine.identityFolder(of: configuration), machine: machine),
      received: received, on: loop, log: log.child("gateway"), owner: self
    ) {
      $0.deviceName = configuration.deviceName ?? ProcessInfo.processInfo.hostName
      $0.memory = daemon?.model.rememberedPushes ?? []
      $0.retrySlackNanoseconds = Limits.gatewayRetrySlackNanoseconds
    }
  }

  // MARK: - A gateway that starts later

  /// Joins the awaited gateway once it writes its description.
  func awaitGateway() {
    guard gateway == nil, let awaited = configuration.awaitedGateway else { return }
    if awaited.isNamed {
      log.warning(
        "no such file: waiting for a gateway to start there; check --gateway if it never does",
        ["file": awaited.file])
    } else {
      log.info(
        "no gateway yet: joining the current user's gateway once it starts", ["file": awaited.file])
    }
    gatewayWatch = PathWatch(awaited.file, on: loop) { [weak self] in self?.joinAwaited(awaited) }
    if awaited.isNamed {
      handle(
        .linkFailed(
          problem: "the gateway's file \(awaited.file) does not exist: start the gateway, or "
            + "correct the path in --gateway"))
      handle(.linkChanged(isUp: false))
    }
    // The gateway might have written the description before the watch began.
    if FileSystem.exists(awaited.file) {
      joinAwaited(awaited)
    } else if gatewayWatch?.isWatching != true {
      poll(awaited, afterNanoseconds: Limits.awaitedGatewayNanoseconds)
    }
  }

  /// Polls for the description at increasing intervals, because the kernel does not allow another file watch.
  private func poll(
    _ awaited: AgentConfiguration.AwaitedGateway, afterNanoseconds pause: Int64
  ) {
    loop.schedule(afterNanoseconds: pause) { [weak self] in
      guard let self, !self.isClosed, self.gateway == nil else { return }
      if FileSystem.exists(awaited.file) { self.joinAwaited(awaited) }
      if self.gateway == nil {
        self.poll(
          awaited, afterNanoseconds: min(pause * 2, Limits.awaitedGatewayNanosecondsMax))
      }
    }
  }

  private func joinAwaited(_ awaited: AgentConfiguration.AwaitedGateway) {
    guard !isClosed, gateway == nil, FileSystem.exists(awaited.file) else { return }
    do {
      let found = try awaited.read()
      receiver = try makeReceiver(found)
      gateway = found
    } catch {
      return log.warning("cannot join the gateway yet", ["why": "\(error)"])
    }
    gatewayWatch?.close()
    gatewayWatch = nil
    log.info("the gateway has started: joining it", ["file": awaited.file])
    handle(.gatewayFound)
    writeReadyFile()
    receiver?.start()
  }
}

extension LinuxMachine: PushReceiverOwner {
  /// Durably records that the data is from another machine, before the agent sends anything that depends on this fact.
  func onMachineReplaced() {
    handle(.machineReplaced)
    daemon?.commit()
  }

  func identityChanged() { writeReadyFile() }
}
