/** What the player is doing, as a pure transition function. */

/** @typedef {"idle" | "starting" | "playing" | "buffering" | "paused" | "reconnecting" | "ended" | "failed"} PlayerStatus */
/** `wantsSound` is the listener's wish, whatever the network makes of it. @typedef {{status: PlayerStatus, wantsSound: boolean}} PlayerState */
/** @typedef {"play" | "pause" | "seek" | "sound" | "wait" | "lost" | "finish" | "fail"} PlayerEvent */

/** @type {PlayerState} */
export const INITIAL_STATE = Object.freeze({ status: "idle", wantsSound: false });

/** @type {Record<PlayerEvent, (state: PlayerState) => PlayerState>} */
const TRANSITIONS = {
  play: ({ status, wantsSound }) => (wantsSound ? { status, wantsSound } : { status: "starting", wantsSound: true }),
  pause: ({ status }) =>
    status === "idle" || status === "ended" || status === "failed"
      ? { status, wantsSound: false }
      : { status: "paused", wantsSound: false },
  seek: ({ status, wantsSound }) => {
    if (wantsSound) return { status: status === "reconnecting" ? status : "starting", wantsSound };
    return { status: status === "idle" ? "idle" : "paused", wantsSound };
  },
  sound: (state) => (state.wantsSound ? { status: "playing", wantsSound: true } : state),
  wait: (state) => (state.status === "playing" ? { status: "buffering", wantsSound: true } : state),
  lost: (state) => (state.wantsSound ? { status: "reconnecting", wantsSound: true } : state),
  finish: () => ({ status: "ended", wantsSound: false }),
  fail: () => ({ status: "failed", wantsSound: false }),
};

/** @param {PlayerState} state @param {PlayerEvent} event @returns {PlayerState} the same object when nothing changed */
export function nextState(state, event) {
  const next = TRANSITIONS[event](state);
  return next.status === state.status && next.wantsSound === state.wantsSound ? state : next;
}
