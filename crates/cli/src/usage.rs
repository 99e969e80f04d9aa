//! What a run took from the machine.

/// Processor seconds used so far by all threads; `None` where the system does not tell.
pub fn cpu_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6;
        Some(seconds(usage.user_time()) + seconds(usage.system_time()))
    }
    #[cfg(not(unix))]
    None
}

/// Most memory the program held at once, in MB (2^20 bytes).
pub fn peak_rss_mb() -> Option<f64> {
    // On Linux getrusage also counts what the parent held before it started us.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        return line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kb| kb / 1024.0);
    }
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let unit = if cfg!(target_vendor = "apple") { 1048576.0 } else { 1024.0 };
        Some(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss() as f64 / unit)
    }
    #[cfg(not(unix))]
    None
}
