using Opossum.Testing.Simulated;

namespace Opossum.Testing.Reacting;

/// <summary>The steps of a process, and its end before one of them. The process does nothing after it.</summary>
/// <param name="last">Before which step it ends, from 0; null: it does not, for this reason.</param>
/// <param name="atHandler">Whether it ends before its first handler.</param>
internal sealed class CrashSteps(Action crash, int? last = null, bool atHandler = false)
{
    private readonly Lock gate = new();

    /// <summary>How many steps were done.</summary>
    public int Count { get; private set; }

    /// <summary>The step before which the process ended; null: it has not.</summary>
    public string? EndedBefore { get; private set; }

    /// <summary>Does a step, or ends the process.</summary>
    /// <exception cref="ProcessKilledException">The process has ended.</exception>
    public void Pass(string step) => Pass(step, isLast: false);

    /// <summary>The same; a handler is the step.</summary>
    /// <exception cref="ProcessKilledException">The process has ended.</exception>
    public void PassToHandler(string step) => Pass(step, isLast: atHandler);

    private void Pass(string step, bool isLast)
    {
        lock (gate)
        {
            if (EndedBefore is null && Count != last && !isLast)
            {
                Count++;
                return;
            }
            if (EndedBefore is null)
            {
                EndedBefore = step;
                crash();
            }
        }
        throw new ProcessKilledException();
    }
}
