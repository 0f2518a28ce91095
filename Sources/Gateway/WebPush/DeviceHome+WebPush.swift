import PushWire
import Storage
import System

/// Requests about Web Push messages, which the home of the message's device answers.
extension DeviceHome {
  /// Withdraws a message; its sender is answered once the message is no longer stored.
  func withdraw(_ request: Submission) {
    assert(request.isWithdrawal, "the request is about a message that was sent before")
    // A device that is not in the store has no messages.
    guard devices.knows(request.key.device) else { return answer(request, .accepted) }
    guard !isWithoutDatabase else {
      return answer(request, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
    core.withdraw(request, now: now)
  }

  /// Answers a question about a message from this loop's delivery log, or else from the store.
  func handle(_ question: MessageQuestion) {
    assert(context.isHome(of: question.key.device), "the device of a message belongs to this home")
    guard messageQuestions.admits(at: loop.nowNanoseconds) else {
      return answer(question, .tooMany)
    }
    let lines = deliveryLog.history(of: question.key, uniqueID: question.uniqueID)
    if let status = WebPushMessageStatus(ended: lines) { return answer(question, .status(status)) }
    let ticket = makeTicket()
    messageQuestions.add(question, ticket: ticket)
    context.shared.writer.find(
      question.key, uniqueID: question.uniqueID, ticket: ticket, reply: storeReplies)
  }

  /// Answers the question that waited for the store; `stored` contains the times of a stored message.
  func answerQuestion(_ ticket: UInt64, stored: StoredTimes?) {
    guard let question = messageQuestions.remove(ticket) else {
      return assertionFailure("the store answered an unknown question")
    }
    // The message might have ended while the store was read.
    let lines = deliveryLog.history(of: question.key, uniqueID: question.uniqueID)
    let status =
      WebPushMessageStatus(ended: lines)
      ?? WebPushMessageStatus(
        lines, stored: stored,
        sent: core.unacknowledged(question.key, uniqueID: question.uniqueID),
        atUnixSeconds: now.unixSeconds)
    if let status {
      answer(question, .status(status))
    } else {
      answer(question, .unknown)
    }
  }

  func answer(_ question: MessageQuestion, _ answer: MessageAnswer) {
    guard context.send(.messageAnswer(question.reply, answer), to: question.reply.front) else {
      return assertionFailure("a question arrived from an unknown loop: \(question.reply.front)")
    }
  }
}
