// What the page can do, and the stream of what happens.

const token = document.querySelector('meta[name="demo-token"]').content;
let onProblem = () => {};

export function reportProblems(callback) {
  onProblem = callback;
}

export async function act(name, fields = {}) {
  try {
    const response = await fetch(`/do/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Demo-Token": token },
      body: JSON.stringify(fields),
    });
    const answer = await response.json();
    if (!answer.ok) onProblem(answer.sentence);
    return answer.ok;
  } catch {
    onProblem("The demo does not answer. Is it still running?");
    return false;
  }
}

// `everything` gets all events so far, `one` each new one, `lost` whether the stream is gone.
export function listen({ everything, one, lost }) {
  const source = new EventSource("/events");
  source.addEventListener("everything", (message) => { lost(false); everything(JSON.parse(message.data)); });
  source.addEventListener("event", (message) => one(JSON.parse(message.data)));
  source.addEventListener("error", () => lost(true));
}
