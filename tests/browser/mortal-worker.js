// The package's worker, and its helpers, which end without an event on command. With "?nolocks"
// there are no locks, as on insecure pages.
import "./mortal.js";
import "../../dist/worker.js";
