// The script of the views' worker. It runs tasks in the order of their arrival.
import { workerScope } from "../../platform/port-browser.js";
import { transferred, work } from "./numbers.js";
import type { FromViewWorker, ToViewWorker } from "./tasks.js";

const scope = workerScope();
const post = (message: FromViewWorker, transfer: ArrayBuffer[] = []) => scope.post(message, transfer);

function take({ id, task }: ToViewWorker): void {
  try {
    const steps = work(task);
    for (;;) {
      const { done, value } = steps.next();
      if (!done) continue;
      post({ id, result: value }, transferred(value));
      return;
    }
  } catch (error) {
    post({ id, error: String(error) });
  }
}

scope.onmessage((message) => take(message as ToViewWorker));
post({ ready: true });
