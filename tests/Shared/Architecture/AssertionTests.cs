using System.Reflection;
using Opossum.Testing;

namespace Opossum.Tests.Architecture;

/// <summary>
/// A test that asserts nothing passes whatever the code does, except one that only another test starts. Compiled into each test project,
/// and looks at that one.
/// </summary>
public sealed class AssertionTests
{
    // Whatever else there is of them only skips a test.
    private static readonly HashSet<string> skipping = [nameof(Assert.Skip), nameof(Assert.SkipWhen), nameof(Assert.SkipUnless)];

    [Fact]
    public void Every_test_reaches_an_assertion()
    {
        List<string> without = [..
            from type in typeof(AssertionTests).Assembly.GetTypes()
            from method in type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly)
            where method.GetCustomAttributes().OfType<FactAttribute>().Any(fact => !fact.Explicit) && !ReachesAssertion(method)
            let name = $"{type.Name}.{method.Name}"
            orderby name
            select name];

        Assert.True(without.Count == 0, $"These tests assert nothing:\n{string.Join('\n', without)}");
    }

    private static bool ReachesAssertion(MethodInfo test)
    {
        var seen = new HashSet<MethodBase> { test };
        var left = new Queue<MethodBase>(seen);
        while (left.TryDequeue(out var method))
        {
            foreach (var used in CompiledCode.References(method).OfType<MethodBase>().Select(Definition))
            {
                if (IsAssertion(used))
                    return true;
                if (used.Module == test.Module && seen.Add(used))
                    left.Enqueue(used);
            }
        }
        return false;
    }

    private static bool IsAssertion(MethodBase method) => method.DeclaringType == typeof(ConformanceRule)
        || (method.DeclaringType == typeof(Assert) && !skipping.Contains(method.Name));

    // The code of a generic method or type is the same for all of its arguments.
    private static MethodBase Definition(MethodBase method) => method.Module.ResolveMethod(method.MetadataToken)!;
}
