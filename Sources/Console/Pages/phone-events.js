/** Describes a phone's event as a sentence; returns nothing for an event that is visible by itself. */
export function sentence(event, name) {
  const app = event.app ? name(event.app) : "";
  switch (event.event) {
    case "link": return event.state === "up" ? "The phone is connected to the gateway." : "The connection to the gateway is down.";
    case "registered": return `${app} has its device token.`;
    case "registrationFailed": return `${app} got no device token: ${event.why}`;
    case "refused": return `${app} was refused: ${event.why}`;
    case "prompt": return `${app} asks for permission.`;
    case "presented": return `Shown: ${event.title || event.body || app}`;
    case "updated": return `Shown anew: ${event.title || event.body || app}`;
    case "removed": return `Taken away: a notification of ${app}.`;
    case "suppressed": return `Not shown, ${app}: ${event.reason}.`;
    case "sound": return `Sound of ${app}: ${event.sound}.`;
    case "badge": return `Badge of ${app}: ${event.badge}.`;
    case "received": return `${app} was given the push ${event.apnsID}${event.fetch ? " and time to fetch" : ""}.`;
    case "willPresent": return `${app}, in front, was asked whether to show “${event.title}”: yes.`;
    case "response": return `${app} was told: ${action(event.action)}${event.text ? ` with the text “${event.text}”` : ""}`;
    default: return null;
  }
}

function action(id) {
  return { "com.apple.UNNotificationDefaultActionIdentifier": "opened",
    "com.apple.UNNotificationDismissActionIdentifier": "dismissed" }[id] ?? `action “${id}”`;
}

let audio = null;

/** A short tone, generated here so that no file has to be loaded. */
export function beep() {
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
}
