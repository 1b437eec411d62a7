/**
 * Fields of the Go types behind the table of resources, read off k8s.io/api v0.30.3 and apimachinery by reflection. How a row
 * is read: `go-types.ts`. Here: metadata, and what is no part of a pod.
 */
export const CORE_TYPES = `
ConfigMap metadata:ObjectMeta immutable?*:bool data?:{string} binaryData?:{bytes}
ObjectMeta name?:string generateName?:string namespace?:string selfLink?:string uid?:UID resourceVersion?:string
  generation?:int64 creationTimestamp:Time deletionTimestamp?*:Time deletionGracePeriodSeconds?*:int64
  labels?:{string} annotations?:{string} ownerReferences?:[OwnerReference]@uid finalizers?:[string]@
  managedFields?:[ManagedFieldsEntry]
OwnerReference apiVersion:string kind:string name:string uid:UID controller?*:bool blockOwnerDeletion?*:bool
ManagedFieldsEntry manager?:string operation?:ManagedFieldsOperationType apiVersion?:string time?*:Time
  fieldsType?:string fieldsV1?*:FieldsV1 subresource?:string
Secret metadata:ObjectMeta immutable?*:bool data?:{bytes} stringData?:{string} type?:SecretType
Endpoints metadata:ObjectMeta subsets?:[EndpointSubset]
EndpointSubset addresses?:[EndpointAddress] notReadyAddresses?:[EndpointAddress] ports?:[EndpointPort]
EndpointAddress ip:string hostname?:string nodeName?*:string targetRef?*:ObjectReference
ObjectReference kind?:string namespace?:string name?:string uid?:UID apiVersion?:string resourceVersion?:string
  fieldPath?:string
EndpointPort name?:string port:int32 protocol?:Protocol appProtocol?*:string
Event metadata:ObjectMeta involvedObject:ObjectReference reason?:string message?:string source:EventSource
  firstTimestamp:Time lastTimestamp:Time count?:int32 type?:string eventTime:MicroTime series?*:EventSeries
  action?:string related?*:ObjectReference reportingComponent:string reportingInstance:string
EventSource component?:string host?:string
EventSeries count?:int32 lastObservedTime:MicroTime
LimitRange metadata:ObjectMeta spec:LimitRangeSpec
LimitRangeSpec limits:[LimitRangeItem]
LimitRangeItem type:LimitType max?:ResourceList min?:ResourceList default?:ResourceList defaultRequest?:ResourceList
  maxLimitRequestRatio?:ResourceList
ResourceQuota metadata:ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaSpec hard?:ResourceList scopes?:[ResourceQuotaScope] scopeSelector?*:ScopeSelector
ScopeSelector matchExpressions?:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement scopeName:ResourceQuotaScope operator:ScopeSelectorOperator values?:[string]
ResourceQuotaStatus hard?:ResourceList used?:ResourceList
ServiceAccount metadata:ObjectMeta secrets?:[ObjectReference]@name imagePullSecrets?:[LocalObjectReference]
  automountServiceAccountToken?*:bool
LocalObjectReference name?:string
Service metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceSpec ports?:[ServicePort]@port selector?:{string} clusterIP?:string clusterIPs?:[string] type?:ServiceType
  externalIPs?:[string] sessionAffinity?:ServiceAffinity loadBalancerIP?:string loadBalancerSourceRanges?:[string]
  externalName?:string externalTrafficPolicy?:ServiceExternalTrafficPolicy healthCheckNodePort?:int32
  publishNotReadyAddresses?:bool sessionAffinityConfig?*:SessionAffinityConfig ipFamilies?:[IPFamily]
  ipFamilyPolicy?*:IPFamilyPolicy allocateLoadBalancerNodePorts?*:bool loadBalancerClass?*:string
  internalTrafficPolicy?*:ServiceInternalTrafficPolicy trafficDistribution?*:string
ServicePort name?:string protocol?:Protocol appProtocol?*:string port:int32 targetPort:IntOrString nodePort?:int32
SessionAffinityConfig clientIP?*:ClientIPConfig
ClientIPConfig timeoutSeconds?*:int32
ServiceStatus loadBalancer:LoadBalancerStatus conditions?:[Condition]@type
LoadBalancerStatus ingress?:[LoadBalancerIngress]
LoadBalancerIngress ip?:string hostname?:string ipMode?*:LoadBalancerIPMode ports?:[PortStatus]
PortStatus port:int32 protocol:Protocol error?*:string
Condition type:string status:ConditionStatus observedGeneration?:int64 lastTransitionTime:Time reason:string
  message:string
Namespace metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceSpec finalizers?:[FinalizerName]
NamespaceStatus phase?:NamespacePhase conditions?:[NamespaceCondition]@type
NamespaceCondition type:NamespaceConditionType status:ConditionStatus lastTransitionTime:Time reason?:string
  message?:string
PodTemplate metadata:ObjectMeta template:PodTemplateSpec
ReplicationController metadata:ObjectMeta spec:ReplicationControllerSpec status:ReplicationControllerStatus
ReplicationControllerSpec replicas?*:int32 minReadySeconds?:int32 selector?:{string} template?*:PodTemplateSpec
ReplicationControllerStatus replicas:int32 fullyLabeledReplicas?:int32 readyReplicas?:int32 availableReplicas?:int32
  observedGeneration?:int64 conditions?:[ReplicationControllerCondition]@type
ReplicationControllerCondition type:ReplicationControllerConditionType status:ConditionStatus
  lastTransitionTime:Time reason?:string message?:string
Binding metadata:ObjectMeta target:ObjectReference
Lease metadata:ObjectMeta spec:LeaseSpec
LeaseSpec holderIdentity?*:string leaseDurationSeconds?*:int32 acquireTime?*:MicroTime renewTime?*:MicroTime
  leaseTransitions?*:int32
Deployment metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentSpec replicas?*:int32 selector*:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy~
  minReadySeconds?:int32 revisionHistoryLimit?*:int32 paused?:bool progressDeadlineSeconds?*:int32
DeploymentStrategy type?:DeploymentStrategyType rollingUpdate?*:RollingUpdateDeployment
RollingUpdateDeployment maxUnavailable?*:IntOrString maxSurge?*:IntOrString
DeploymentStatus observedGeneration?:int64 replicas?:int32 updatedReplicas?:int32 readyReplicas?:int32
  availableReplicas?:int32 unavailableReplicas?:int32 conditions?:[DeploymentCondition]@type collisionCount?*:int32
DeploymentCondition type:DeploymentConditionType status:ConditionStatus lastUpdateTime:Time lastTransitionTime:Time
  reason?:string message?:string
Scale metadata:ObjectMeta spec:ScaleSpec status:ScaleStatus
ScaleSpec replicas?:int32
ScaleStatus replicas:int32 selector?:string
DeleteOptions gracePeriodSeconds?*:int64 preconditions?*:Preconditions orphanDependents?*:bool
  propagationPolicy?*:DeletionPropagation dryRun?:[string]
Preconditions uid?*:UID resourceVersion?*:string
`;
