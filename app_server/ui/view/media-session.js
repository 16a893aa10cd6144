/** Lock screen, headset keys and media keys. */

/**
 * @param {import("../model/player-on-demand.js").PlayerOnDemand} player
 * @param {{title: string, artist: string, artwork: string | null}} about
 * @param {AbortSignal} signal
 */
export function offerMediaKeys(player, { title, artist, artwork }, signal) {
  if (!("mediaSession" in navigator)) return;
  const session = navigator.mediaSession;
  session.metadata = new MediaMetadata({ title, artist, album: "Lectern", artwork: artwork ? [{ src: artwork }] : [] });
  /** @type {[MediaSessionAction, () => void][]} */
  const handlers = [
    ["play", () => player.play()],
    ["pause", () => player.pause()],
    ["stop", () => player.pause()],
    ["previoustrack", () => void player.stepSentence(-1)],
    ["nexttrack", () => void player.stepSentence(1)],
    ["seekbackward", () => void player.stepSentence(-1)],
    ["seekforward", () => void player.stepSentence(1)],
  ];
  for (const [action, handler] of handlers) {
    try {
      session.setActionHandler(action, handler);
    } catch {
      // Not every browser knows every action.
    }
  }
  player.addEventListener("state", () => {
    session.playbackState = player.state.wantsSound ? "playing" : "paused";
  }, { signal });
  signal.addEventListener("abort", () => handlers.forEach(([action]) => session.setActionHandler(action, null)), { once: true });
}
