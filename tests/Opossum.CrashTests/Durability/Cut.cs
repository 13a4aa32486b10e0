using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>After or during which operation the power is cut.</summary>
internal sealed record Cut(int Operation, bool During, string What)
{
    /// <summary>
    /// After each operation that changes something, and in the middle of each write; in the middle of any other is after the one before.
    /// </summary>
    public static IEnumerable<Cut> Each(IEnumerable<SimulatedOperation> operations)
    {
        var at = 0;
        foreach (var operation in operations.Where(static each => each.Changes))
        {
            at++;
            yield return new Cut(at, During: false, operation.ToString());
            if (operation.Kind == OperationKind.Write)
                yield return new Cut(at, During: true, operation.ToString());
        }
    }

    /// <summary>After each operation: a process that is killed in a write has written all of it or nothing.</summary>
    public static IEnumerable<Cut> AfterEach(IEnumerable<SimulatedOperation> operations) => Each(operations).Where(static cut => !cut.During);

    /// <summary>Makes the power of the disk go there.</summary>
    public void Prepare(SimulatedDisk disk)
    {
        if (During)
            disk.CutDuring(Operation);
        else
            disk.CutAfter(Operation);
    }

    public override string ToString() => $"cut {(During ? "during" : "after")} operation {Operation} ({What})";
}
