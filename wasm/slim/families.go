//go:build !js

package main

// families lists functions that Go's linker keeps and the package never needs. The worker's whole
// environment is GOGC. The program has one thread, which never blocks and is never preempted, and
// prints no dates. A stub that runs returns at once.
var families = append(releaseFamilies, []family{
	{`runtime\.\(?\*?trace(Acq|Adv|[B-KM-Z]|Locker).*`, traps, "the execution tracer is never started"},
	{`runtime\.(schedtrace|printScavTrace|checkFinalizersAndCleanups|runCheckmark|setCheckmark)`, traps, "GODEBUG is empty"},
	{`runtime\.(pre|post)MallocgcDebug`, traps, "GODEBUG is empty"},
	{`runtime\.(fmtNSAsMS|reparsedebugvars|(set|clear)CleanupContext|\(\*godebugInc\)\.IncNonDefault)`, traps, "GODEBUG is empty"},
	{`runtime\.(parsegodebug|dumpScanStats|godebugNotify)`, returns, "GODEBUG is empty"},
	{`internal/(cpu\.processOptions|godebug\.update)`, returns, "GODEBUG is empty"},
	{`syscall\.init(\.0)?`, returns, "there are no files, and nothing reads what it asks the platform for"},
	{`runtime\.(blockevent|saveblockevent|saveBlockEventStack|mProf_Free|tryRecordGoroutineProfile|doRecordGoroutineProfile|saveg|tracebackPCs)`, traps, "nothing is profiled"},
	{`runtime\.(mProf_Malloc|mProf_Flush|mProf_PostSweep)`, returns, "nothing is profiled"},
	{`runtime\.(findGoroutineLeaks|allGsSnapshotSortedForGC)`, traps, "goroutines that leak are not looked for"},
	{`runtime\.(getOrSetBubbleSpecial|\(\*synctestBubble\)\..*)`, traps, "testing/synctest is for tests"},
	{`runtime\.\(\*mspan\)\.(setUserArenaChunkToFault|refreshPinnerBits)`, traps, "there are no arenas, and nothing is pinned"},
	{`runtime\.(startm|newm|allocm|handoffp|mexit|stoplockedm|newextram|\(\*p\)\.destroy)`, traps, "there is one thread, and one processor"},
	{`runtime\.(wakep|freezetheworld|\(\*mheap\)\.enableMetadataHugePages)`, returns, "there is no other thread to wake or to stop, and pages have one size"},
	{`runtime\.(cgocall|asmcgocall|reentersyscall|exitsyscall|notetsleepg)`, traps, "there is no C, and no call of a system that blocks"},
	{`runtime\.(asyncPreempt2?|preemptPark|scanConservative)`, traps, "there are no signals, by which goroutines are interrupted anywhere"},
	{`runtime\.call([2-9]|1[^6]|16.).*`, traps, "finalizers take one pointer"},
	{`runtime\.(moduledataverify1|check|typelinksinit)`, returns, "the linker wrote one module, as the compiler meant it"},
	{`runtime\.(printArgs|tracebackHexdump|tracebackothers|tracebacksomeothers|dumpgstatus|gcDumpObject|printanycustomtype)`, returns, "a crash is told by its message and the names of functions"},
	{`runtime\.(badPointer|hexdumpWords|(\(\*hexdumper\)|hexdumpMarker|hexdumpWords)\..*|\(\*mspan\)\.reportZombies|printCgoTraceback|printOneCgoTraceback|expandCgoFrames|printAncestorTraceback)`, traps, "a crash is told by its message and the names of functions"},
	{`(internal/reflectlite\.methodName|runtime\.\(\*Frames\)\.Next)`, traps, "only wrong uses of package reflectlite ask for the names of callers"},
	{`time\.(Time\.(String|Format|AppendFormat|appendFormat.*|locabs)|Duration\.format|nextStdChunk|append(Int|Nano)|tzset|initLocal)`, traps, "times are compared, not printed, and are in UTC"},
	{`context\.(contextName|stringify)`, traps, "contexts are not printed"},
	{`internal/strconv\.(fmtX|fmtB|AppendComplex)`, traps, "numbers are printed in decimal"},
}...)
