/// The life of a provider connection, from its first byte to its close.
///
/// It is a value without I/O: the connection passes in events and carries out the returned actions.
struct ProviderLifecycle {
  private enum State: Equatable {
    /// Requests are accepted.
    case serving
    /// The client has finished sending: its open requests are answered.
    case answering
    /// A script closes the connection: a GOAWAY that admits requests up to this stream follows their answers.
    case finishing(lastStreamID: Int32)
    /// GOAWAY was sent: open requests are answered.
    case leaving
    /// The output is written, and then the connection closes.
    case closing
    /// The connection closes at the end of the turn, without its output.
    case aborting
  }

  /// An event in the life of the connection.
  enum Event: Equatable {
    /// The connection accepts no more requests, for example because the gateway shuts down.
    case leave
    /// The connection breaks a rule or does nothing: it closes without waiting for open requests.
    case expel
    /// The codec failed, and its output says why.
    case codecFailed
    /// The client does not read: nothing can be sent to it.
    case unresponsive
    /// A script sends GOAWAY after the request on this stream.
    case scriptedGoAway(lastStreamID: Int32)
    /// A script closes the connection.
    case scriptedClose
    /// The client has finished sending.
    case inputEnded
    /// The turn ends, before the output is written.
    case turnEnded(openRequests: Int)
    /// The output was written.
    case outputWritten(openRequests: Int, codecIsFinished: Bool)
  }

  /// The action that the connection carries out.
  enum Action: Equatable {
    case none
    /// Send GOAWAY, which admits every request that has begun, or those up to the given stream.
    case sendGoAway(lastStreamID: Int32?)
    /// Close the stream once its output is sent.
    case close
    /// Close the stream immediately.
    case abort
  }

  private var state = State.serving

  /// True if bytes from the client are still handled.
  var readsInput: Bool {
    switch state {
    case .serving, .answering, .finishing, .leaving: true
    case .closing, .aborting: false
    }
  }

  /// True if requests are decided.
  var decidesRequests: Bool { state != .aborting }

  /// True if the client was, or will be, told to make no more requests.
  var isLeaving: Bool {
    switch state {
    case .serving, .answering: false
    case .finishing, .leaving, .closing, .aborting: true
    }
  }

  /// Handles an event; returns the action to carry out.
  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .leave: leave()
    case .expel: expel()
    case .codecFailed: codecFailed()
    case .unresponsive: abort()
    case .scriptedGoAway(let lastStreamID): finish(lastStreamID)
    case .scriptedClose: scheduleAbort()
    case .inputEnded: inputEnded()
    case .turnEnded(let openRequests): turnEnded(openRequests)
    case .outputWritten(let openRequests, let codecIsFinished):
      outputWritten(openRequests, codecIsFinished)
    }
  }

  private mutating func leave() -> Action {
    switch state {
    case .serving, .answering:
      state = .leaving
      return .sendGoAway(lastStreamID: nil)
    case .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func expel() -> Action {
    switch state {
    case .serving, .answering, .finishing, .leaving:
      state = .closing
      return .sendGoAway(lastStreamID: nil)
    case .closing, .aborting:
      return .none
    }
  }

  private mutating func codecFailed() -> Action {
    switch state {
    case .serving, .answering, .finishing, .leaving:
      state = .closing
      return .none
    case .closing, .aborting:
      return .none
    }
  }

  private mutating func abort() -> Action {
    state = .aborting
    return .abort
  }

  private mutating func finish(_ lastStreamID: Int32) -> Action {
    switch state {
    case .serving, .answering:
      state = .finishing(lastStreamID: lastStreamID)
      return .none
    case .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func scheduleAbort() -> Action {
    state = .aborting
    return .none
  }

  private mutating func inputEnded() -> Action {
    switch state {
    case .serving:
      state = .answering
      return .none
    case .answering, .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func turnEnded(_ openRequests: Int) -> Action {
    switch state {
    case .finishing(let lastStreamID) where openRequests == 0:
      state = .leaving
      return .sendGoAway(lastStreamID: lastStreamID)
    case .aborting:
      return .abort
    case .serving, .answering, .finishing, .leaving, .closing:
      return .none
    }
  }

  private mutating func outputWritten(_ openRequests: Int, _ codecIsFinished: Bool) -> Action {
    assert(state != .aborting, "an aborted connection writes no output")
    switch state {
    case .closing:
      return .close
    case .answering where openRequests == 0, .leaving where openRequests == 0:
      state = .closing
      return .close
    case .serving, .answering, .finishing, .leaving:
      guard codecIsFinished else { return .none }
      state = .closing
      return .close
    case .aborting:
      return .abort
    }
  }
}
