extension CoreAudioFile {
  /// Returns an IMA4 file that contains interleaved samples.
  static func ima4(_ samples: [Int16], channels: Int, rate: Int) -> [UInt8] {
    assert(
      channels > 0 && samples.count % channels == 0, "every channel has the same number of samples")
    let frames = samples.count / channels
    let packets = (frames + IMA4.packetFrames - 1) / IMA4.packetFrames
    var file = Array("caff".utf8) + big(1, 2) + big(0, 2)
    file += chunk(
      "desc",
      big(Double(rate).bitPattern, 8) + Array("ima4".utf8) + big(0, 4)
        + big(UInt64(IMA4.packetBytes * channels), 4) + big(UInt64(IMA4.packetFrames), 4)
        + big(UInt64(channels), 4) + big(0, 4))
    file += chunk(
      "pakt",
      big(UInt64(packets), 8) + big(UInt64(frames), 8) + big(0, 4)
        + big(UInt64(packets * IMA4.packetFrames - frames), 4))
    var data = big(0, 4)
    data.reserveCapacity(4 + packets * channels * IMA4.packetBytes)
    func part(_ packet: Int, _ channel: Int) -> [Int16] {
      let start = packet * IMA4.packetFrames
      return (start..<min(start + IMA4.packetFrames, frames)).map {
        samples[$0 * channels + channel]
      }
    }
    var encoders = packets == 0 ? [] : (0..<channels).map { IMA4.Encoder(for: part(0, $0)) }
    for packet in 0..<packets {
      for channel in 0..<channels { data += encoders[channel].encode(part(packet, channel)) }
    }
    return file + chunk("data", data)
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + big(UInt64(body.count), 8) + body
  }

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}

extension IMA4 {
  /// An encoder for a channel, which encodes one packet at a time.
  struct Encoder {
    private var predictor: Int
    private var index = 0

    /// Creates an encoder for a channel that begins with the packet `first`.
    ///
    /// The initial step size is the one that fits this packet best, so a loud beginning is not distorted.
    init(for first: [Int16]) {
      predictor = first.first.map(Int.init) ?? 0
      var least = Int.max
      var best = 0
      for candidate in IMA4.steps.indices {
        var trial = self
        trial.index = candidate
        let error = zip(IMA4.decode(trial.encode(first)[...]) ?? [], first).reduce(0) {
          let distance = Int($1.0) - Int($1.1)
          return $0 + distance * distance
        }
        if error < least { (least, best) = (error, candidate) }
      }
      index = best
    }

    /// Returns the packet for up to 64 samples.
    ///
    /// If there are fewer than 64 samples, they are padded with copies of the last sample.
    mutating func encode(_ samples: [Int16]) -> [UInt8] {
      assert((1...packetFrames).contains(samples.count), "a packet holds up to 64 samples")
      // The packet's header contains only the upper nine bits of the predictor, and the decoder continues from this
      // value.
      predictor = Int(Int16(truncatingIfNeeded: predictor & 0xFF80))
      let head = predictor & 0xFF80 | index
      var packet = [UInt8(truncatingIfNeeded: head >> 8), UInt8(truncatingIfNeeded: head)]
      packet.reserveCapacity(packetBytes)
      for pair in stride(from: 0, to: packetFrames, by: 2) {
        let low = step(to: samples[min(pair, samples.count - 1)])
        let high = step(to: samples[min(pair + 1, samples.count - 1)])
        packet.append(low | high << 4)
      }
      assert(packet.count == packetBytes, "a packet has 34 bytes")
      return packet
    }

    /// Returns the four bits that move the predictor as close to a sample as possible.
    private mutating func step(to sample: Int16) -> UInt8 {
      let size = steps[index]
      var distance = Int(sample) - predictor
      var nibble = 0
      if distance < 0 {
        nibble = 8
        distance = -distance
      }
      var change = size >> 3
      for (bit, part) in [(4, size), (2, size >> 1), (1, size >> 2)] where distance >= part {
        nibble |= bit
        distance -= part
        change += part
      }
      predictor += nibble & 8 != 0 ? -change : change
      predictor = min(max(predictor, Int(Int16.min)), Int(Int16.max))
      index = min(max(index + indexSteps[nibble & 7], 0), steps.count - 1)
      return UInt8(nibble)
    }
  }
}
