// One time for the whole page: the replay and the charts beside it show the same instant.

const listeners = [];

export function onTime(listener) {
  listeners.push(listener);
}

export function setTime(time, from) {
  for (const listener of listeners) listener(time, from);
}
