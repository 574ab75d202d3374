# A path of hops and bulk flows over it in ns-2, its packets traced:
#   ns network.tcl DESCRIPTION TRACE
#
# DESCRIPTION has a line "hop RATE DELAY QUEUE" per hop (bit/s, s, packets), a line
# "flow VARIANT WINDOW SSTHRESH START PACKETS SIZE FROM TO ACCESS" per flow (SSTHRESH 0: the window; PACKETS 0: without
# end; SIZE in bytes; FROM and TO: nodes, counted from 0; ACCESS: delay in s of a fast link between the sender and FROM, 0:
# none), and "end TIME".
# TRACE gets ns's own lines of every queue and link, in both directions; the flow is the fid.

if {$argc != 2} {
    puts stderr "usage: ns network.tcl DESCRIPTION TRACE"
    exit 2
}

# The settings of the papers of 1998 to 2000, which airtcp's profile ns2 follows.
Agent/TCP set tcpTick_ 0.1
Agent/TCP set windowInit_ 1
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set singledup_ 0
Agent/TCP set updated_rttvar_ false
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set maxrto_ 64
Agent/TCP set useHeaders_ false
Agent/TCP set precisionReduce_ false
Agent/TCP set timerfix_ false
Agent/TCP set exitFastRetrans_ false
Agent/TCP set oldCode_ true
Agent/TCP set rfc2988_ false
Agent/TCP/Newreno set newreno_changes1_ 0
Agent/TCP/Newreno set partial_window_deflation_ 0

array set agents {tahoe TCP reno TCP/Reno newreno TCP/Newreno sack TCP/Sack1}

set ns [new Simulator]
set trace [open [lindex $argv 1] w]
set path [list [$ns node]]

proc hop {rate delay queue} {
    global ns trace path
    set from [lindex $path end]
    set to [$ns node]
    lappend path $to
    $ns duplex-link $from $to $rate $delay DropTail
    foreach {here there} [list $from $to $to $from] {
        $ns queue-limit $here $there $queue
        $ns trace-queue $here $there $trace
    }
}

proc flow {variant window ssthresh start packets size from to access} {
    global ns path agents flows trace
    set tcp [new Agent/$agents($variant)]
    $tcp set window_ $window
    $tcp set packetSize_ $size
    $tcp set fid_ [incr flows]
    set sink [new Agent/TCPSink[expr {$variant eq "sack" ? "/Sack1" : ""}]]
    set sender [lindex $path $from]
    if {$access} {
        set near $sender
        set sender [$ns node]
        $ns duplex-link $sender $near 1e15 $access DropTail
        foreach {here there} [list $sender $near $near $sender] {
            $ns queue-limit $here $there 1000000
            $ns trace-queue $here $there $trace
        }
    }
    $ns attach-agent $sender $tcp
    $ns attach-agent [lindex $path $to] $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start [list begin $tcp $ftp $ssthresh $packets]
}

proc begin {tcp ftp ssthresh packets} {
    global uniform
    # An agent draws the phase of its clock as it is reset. In the recorded traces it drew the second number of this
    # seed, which is `boot` of profile ns2: here all do.
    ns-random 689
    $uniform value
    $tcp reset
    if {$ssthresh} {
        $tcp set ssthresh_ $ssthresh
    }
    if {$packets} {
        $ftp produce $packets
    } else {
        $ftp start
    }
}

proc finish {} {
    global trace
    close $trace
    exit 0
}

proc end {time} {
    global ns
    $ns at $time finish
}

set flows -1
set uniform [new RandomVariable/Uniform]
set description [open [lindex $argv 0]]
foreach line [split [string trim [read $description]] "\n"] {
    if {[lindex $line 0] ni {hop flow end}} {
        puts stderr "what is [lindex $line 0]?"
        exit 2
    }
    eval $line
}
close $description
$ns run
